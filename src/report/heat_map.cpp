#include "report/figure.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace dsk {
namespace drawing {
namespace {

/// Red, green, blue and opacity.
using Palette = std::array<std::array<std::uint8_t, 4>, 256>;

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift & 0xFFU);
}

std::string chunk(std::string_view type, std::string_view content) {
  std::string result, checked(type);
  checked += content;
  append_big_endian(result, static_cast<std::uint32_t>(content.size()));
  result += checked;
  const auto* bytes = reinterpret_cast<const Bytef*>(checked.data());
  append_big_endian(result, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(checked.size()))));
  return result;
}

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  compress(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           static_cast<uLong>(bytes.size()));
  result.resize(size);
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (std::size_t start = 0; start < bytes.size(); start += 3) {
    const std::size_t length = std::min<std::size_t>(3, bytes.size() - start);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (k < length ? static_cast<unsigned char>(bytes[start + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      result += k <= length ? letters[group >> (18U - 6U * static_cast<unsigned>(k)) & 63U] : '=';
  }
  return result;
}

/// A PNG image of width x height palette entries (row-major) as a data URL.
std::string png_url(const std::vector<std::uint8_t>& pixels, std::uint32_t width, std::uint32_t height,
                    const Palette& palette) {
  std::string header, colours, opacities, rows;
  append_big_endian(header, width);
  append_big_endian(header, height);
  header += {8, 3, 0, 0, 0};  // bits per entry, palette, and the only methods that PNG defines
  for (const auto& [red, green, blue, opacity] : palette) {
    colours += {static_cast<char>(red), static_cast<char>(green), static_cast<char>(blue)};
    opacities += static_cast<char>(opacity);
  }
  for (std::size_t r = 0; r < height; ++r) {
    rows += '\0';
    for (std::size_t c = 0; c < width; ++c) rows += static_cast<char>(pixels[r * width + c]);
  }
  return "data:image/png;base64," +
         base64("\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", colours) + chunk("tRNS", opacities) +
                chunk("IDAT", compressed(rows)) + chunk("IEND", ""));
}

constexpr long most_cells = 400;
constexpr std::size_t most_marks = 60;
constexpr double side = 340;
constexpr std::uint8_t missing = 255;

/// From pale yellow through green to dark violet in even steps of lightness, readable in greyscale. The last entry,
/// grey, marks missing values.
Palette many_colours() {
  constexpr double stops[][3] = {{253, 231, 160}, {122, 209, 140}, {34, 144, 140}, {59, 82, 139}, {58, 14, 84}};
  Palette palette;
  for (std::size_t entry = 0; entry < missing; ++entry) {
    const double position = 4 * static_cast<double>(entry) / (missing - 1);
    const auto below = std::min<std::size_t>(static_cast<std::size_t>(position), 3);
    const double rest = position - static_cast<double>(below);
    for (std::size_t k = 0; k < 3; ++k)
      palette[entry][k] =
          static_cast<std::uint8_t>(std::lround(stops[below][k] * (1 - rest) + stops[below + 1][k] * rest));
  }
  for (auto& colour : palette) colour[3] = 255;
  palette[missing] = {150, 150, 150, 255};
  return palette;
}

Palette one_colour() {
  Palette palette;
  for (std::size_t entry = 0; entry < missing; ++entry)
    palette[entry] = {45, 115, 185, static_cast<std::uint8_t>(entry + (entry > 0 ? 1 : 0))};
  palette[missing] = {150, 150, 150, 255};
  return palette;
}

Palette palette_of(Colours colours) {
  return colours == Colours::many ? many_colours() : one_colour();
}

std::uint8_t entry(double value, const Range& range) {
  if (std::isnan(value)) return missing;
  if (range.is_empty()) return value > 0 ? missing - 1 : 0;
  const double share = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
  return static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * (missing - 1)));
}

double value_at(const HeatMap& map, long row, long column) {
  const auto position =
      static_cast<std::size_t>(row) * static_cast<std::size_t>(map.size) + static_cast<std::size_t>(column);
  return position < map.values.size() ? map.values[position] : std::nan("");
}

/// The mean of a block, ignoring values that are not a number.
double block_mean(const HeatMap& map, long row, long rows_end, long column, long columns_end) {
  double sum = 0;
  long count = 0;
  for (long r = row; r < rows_end; ++r)
    for (long c = column; c < columns_end; ++c)
      if (const double value = value_at(map, r, c); !std::isnan(value)) {
        sum += value;
        ++count;
      }
  return count > 0 ? sum / static_cast<double>(count) : std::nan("");
}

bool is_empty(const HeatMap& map) {
  return map.size <= 0 || map.values.empty();
}

/// The image with its colour scale below.
std::string drawn_map(const HeatMap& map) {
  const Range range = value_range(map);
  return heat_map_svg(map, range, Colours::many) + colour_ramp(range, Colours::many, has_missing_values(map));
}

std::string part(const HeatMap& map) {
  return fmt::format("<div><p>{}</p>{}</div>\n", escaped(map.caption),
                     is_empty(map) ? "<p class=\"empty\">No data to draw.</p>" : drawn_map(map));
}

std::string note(bool thinned) {
  return thinned ? "Each cell is the mean of a block of values." : "";
}

}  // namespace

Range value_range(const HeatMap& map) {
  Range range;
  for (const double value : map.values) range.include(value);
  return range;
}

bool has_missing_values(const HeatMap& map) {
  const auto count = static_cast<std::size_t>(std::max<long>(map.size, 0));
  return map.values.size() < count * count ||
         std::any_of(map.values.begin(), map.values.end(), [](double value) { return std::isnan(value); });
}

bool is_thinned(const HeatMap& map) {
  return map.size > most_cells;
}

std::string heat_map_image(const HeatMap& map, const Range& range, Colours colours, const Box& box) {
  // All blocks have the same size and the last may extend over the edge: blocks of different sizes would show a
  // pattern.
  const long block = (map.size + most_cells - 1) / most_cells, cells = (map.size + block - 1) / block;
  std::vector<std::uint8_t> pixels;
  for (long r = 0; r < map.size; r += block)
    for (long c = 0; c < map.size; c += block)
      pixels.push_back(
          entry(block_mean(map, r, std::min(r + block, map.size), c, std::min(c + block, map.size)), range));
  const auto edge = static_cast<std::uint32_t>(cells);
  const double extent = box.size * static_cast<double>(cells * block) / static_cast<double>(map.size);
  const std::string place = box.x == 0 && box.y == 0 ? "" : fmt::format(" x=\"{}\" y=\"{}\"", at(box.x), at(box.y));
  return fmt::format("<image{0} width=\"{1}\" height=\"{1}\" preserveAspectRatio=\"none\" href=\"{2}\"/>", place,
                     at(extent), png_url(pixels, edge, edge, palette_of(colours)));
}

std::string heat_map_svg(const HeatMap& map, const Range& range, Colours colours) {
  std::string marks = heat_map_image(map, range, colours, {0, 0, side});
  if (colours == Colours::one)
    marks += fmt::format("<rect class=\"frame\" x=\".5\" y=\".5\" width=\"{0}\" height=\"{0}\"/>", side - 1);
  std::string lines;
  if (map.marks.size() <= most_marks)
    for (const long mark : map.marks)
      if (mark > 0 && mark < map.size)
        lines += fmt::format("M{0} 0V{1}M0 {0}H{1}",
                             at(side * static_cast<double>(mark) / static_cast<double>(map.size)), side);
  if (!lines.empty()) marks += fmt::format("<path class=\"part\" d=\"{}\"/>", lines);
  return svg({side, side, marks}, map.caption.empty() ? "Heat map" : map.caption,
             colours == Colours::one ? "square one" : "square");
}

std::string colour_ramp(const Range& range, Colours colours, bool has_missing) {
  std::vector<std::uint8_t> pixels(missing);
  for (std::size_t k = 0; k < pixels.size(); ++k) pixels[k] = static_cast<std::uint8_t>(k);
  const std::string bar = fmt::format(
      "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><image width=\"100\" "
      "height=\"10\" preserveAspectRatio=\"none\" href=\"{}\"/></svg>",
      png_url(pixels, static_cast<std::uint32_t>(pixels.size()), 1, palette_of(colours)));
  return fmt::format("<p class=\"ramp{}\"><span>{}</span>{}<span>{}</span>{}</p>\n",
                     colours == Colours::one ? " one" : "", range.is_empty() ? "−∞" : short_number(range.low), bar,
                     range.is_empty() ? "∞" : short_number(range.high),
                     has_missing ? "<span>grey: no value</span>" : "");
}

}  // namespace drawing

using namespace drawing;

void Page::add_heat_map(const HeatMap& map) {
  if (is_empty(map)) {
    body_ += empty_figure(map.caption);
    return;
  }
  body_ += figure(drawn_map(map), map.caption, note(is_thinned(map)));
}

void Page::add_heat_map_pair(const HeatMapPair& pair) {
  std::string text = "Each picture has its own colour scale.";
  if (is_thinned(pair.left) || is_thinned(pair.right)) text += " " + note(true);
  body_ += figure("<div class=\"pair\">" + part(pair.left) + part(pair.right) + "</div>", pair.caption, text);
}

}  // namespace dsk
