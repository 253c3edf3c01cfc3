#include "report/png.hpp"

#include <algorithm>
#include <string_view>

namespace dsk::report {
namespace {

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift & 0xFFU);
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ (crc & 1U ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16U | a;
}

std::string chunk(std::string_view type, std::string_view content) {
  std::string result, checked(type);
  checked += content;
  append_big_endian(result, static_cast<std::uint32_t>(content.size()));
  result += checked;
  append_big_endian(result, crc32(checked));
  return result;
}

/// A zlib stream of stored blocks: what is drawn here is small and mostly noise.
std::string stored(std::string_view bytes) {
  constexpr std::size_t longest = 65535;
  std::string result = "\x78\x01";
  const std::string_view all = bytes;
  do {
    const std::size_t length = std::min(bytes.size(), longest);
    const auto low = static_cast<char>(length & 0xFFU), high = static_cast<char>(length >> 8U);
    result += {static_cast<char>(length == bytes.size() ? 1 : 0), low, high, static_cast<char>(~low),
               static_cast<char>(~high)};
    result += bytes.substr(0, length);
    bytes.remove_prefix(length);
  } while (!bytes.empty());
  append_big_endian(result, adler32(all));
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

}  // namespace

std::string png_address(const std::vector<std::uint8_t>& pixels, std::uint32_t width, std::uint32_t height,
                        const Palette& palette) {
  std::string header, colours, opacities, rows;
  append_big_endian(header, width);
  append_big_endian(header, height);
  header += {8, 3, 0, 0, 0};  // bits per entry, by palette, then the only methods there are
  for (const auto& [red, green, blue, opacity] : palette) {
    colours += {static_cast<char>(red), static_cast<char>(green), static_cast<char>(blue)};
    opacities += static_cast<char>(opacity);
  }
  for (std::size_t r = 0; r < height; ++r) {
    rows += '\0';
    for (std::size_t c = 0; c < width; ++c) rows += static_cast<char>(pixels[r * width + c]);
  }
  return "data:image/png;base64," + base64("\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", colours) +
                                           chunk("tRNS", opacities) + chunk("IDAT", stored(rows)) + chunk("IEND", ""));
}

}  // namespace dsk::report
