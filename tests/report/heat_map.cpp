#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "report/report.hpp"

namespace dsk::test {
namespace {

std::string decoded_base64(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char letter : text.substr(0, text.find('='))) {
    bits = bits << 6U | static_cast<std::uint32_t>(letters.find(letter));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return bytes;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

/// The rows of palette entries in the first image of the page, without their filter bytes.
std::vector<std::string> image_rows(const std::string& page) {
  const std::string_view start = "data:image/png;base64,";
  const auto begin = page.find(start) + start.size();
  const std::string png = decoded_base64(std::string_view(page).substr(begin, page.find('"', begin) - begin));
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  std::uint32_t width = 0, height = 0;
  std::string data;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::uint32_t size = big_endian(std::string_view(png).substr(at));
    const std::string type = png.substr(at + 4, 4), content = png.substr(at + 8, size);
    const std::string checked = type + content;
    EXPECT_EQ(big_endian(std::string_view(png).substr(at + 8 + size)),
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())))
        << type;
    if (type == "IHDR") width = big_endian(content), height = big_endian(std::string_view(content).substr(4));
    if (type == "IDAT") {
      data.resize((width + 1) * height);
      uLongf length = data.size();
      EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(data.data()), &length,
                           reinterpret_cast<const Bytef*>(content.data()), content.size()),
                Z_OK);
      EXPECT_EQ(length, data.size());
    }
    at += 12 + size;
  }
  std::vector<std::string> rows;
  for (std::uint32_t r = 0; r < height; ++r) {
    EXPECT_EQ(data[r * (width + 1)], '\0');
    rows.push_back(data.substr(r * (width + 1) + 1, width));
  }
  return rows;
}

std::vector<std::string> rows_of(const HeatMap& map) {
  Page page("t");
  page.add_heat_map(map);
  return image_rows(page.html());
}

TEST(HeatMap, ImageContainsTheValuesInOrder) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  // Entries 0 to 254 of the palette span the range of the values; entry 255 marks a missing value.
  EXPECT_EQ(rows_of({"", {0, 1, 2, 254, 127, missing, 3, 4, 5}, 3}),
            (std::vector<std::string>{{'\x00', '\x01', '\x02'}, {'\xFE', '\x7F', '\xFF'}, {'\x03', '\x04', '\x05'}}));
}

TEST(HeatMap, ImagesOfAPairHaveTheirOwnColourScales) {
  Page page("t");
  page.add_heat_map_pair({"", {.values = {0.25, 0.25, 0.5, 0.5}, .size = 2}, {.values = {0, 64, 128, 192}, .size = 2}});
  const std::string html = page.html();
  EXPECT_NE(html.find("Each picture has its own colour scale."), std::string::npos);
  EXPECT_NE(html.find("<span>0.25</span>"), std::string::npos);
  EXPECT_NE(html.find("<span>0.5</span>"), std::string::npos);
  EXPECT_NE(html.find("<span>192</span>"), std::string::npos);
  EXPECT_EQ(image_rows(html), (std::vector<std::string>{{'\x00', '\x00'}, {'\xFE', '\xFE'}}));
}

TEST(HeatMap, LargeImagesAreMeansOfBlocks) {
  HeatMap map{"", std::vector<double>(800 * 800, 0), 800};
  map.values[0] = map.values[1] = map.values[800] = map.values[801] = 8;
  map.values[2] = 4;
  const std::vector<std::string> rows = rows_of(map);
  ASSERT_EQ(rows.size(), 400u);
  ASSERT_EQ(rows[0].size(), 400u);
  EXPECT_EQ(static_cast<unsigned char>(rows[0][0]), 254);
  EXPECT_EQ(static_cast<unsigned char>(rows[0][1]), std::lround(254 / 8.0));  // the mean of 4, 0, 0, 0 is 1 of 8
  EXPECT_EQ(rows[399], std::string(400, '\0'));
}

}  // namespace
}  // namespace dsk::test
