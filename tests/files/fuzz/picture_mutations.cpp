#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mutations.hpp"

namespace dsk::fuzz {
namespace {

std::uint32_t big_endian_at(const std::string& bytes, std::size_t place) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k) word = word << 8 | static_cast<unsigned char>(bytes[place + k]);
  return word;
}

std::string big_endian(std::uint32_t word) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xff);
  return bytes;
}

}  // namespace

// A png: one of its chunks is changed, removed or repeated, with its length and checksum. Text headers as text. Other
// pictures begin with numbers, of which some are changed.
Mutated mutate_picture(const std::string& bytes, Random& random) {
  constexpr std::size_t signature = 8, header = 40;
  if (bytes.size() > 2 && bytes[0] == 'P') {
    const std::size_t length = std::min(header, bytes.size());
    return mutate_text(bytes.substr(0, length), random) + bytes.substr(length);
  }
  if (!bytes.starts_with("\x89PNG\r\n")) {
    std::string changed = bytes;
    if (!changed.empty())
      changed[below(random, std::min(header, changed.size()))] = static_cast<char>(below(random, 256));
    return changed;
  }
  std::vector<std::string> chunks;
  for (std::size_t at = signature; at + 12 <= bytes.size();) {
    const std::size_t length = big_endian_at(bytes, at);
    if (length > bytes.size() - at - 12) break;
    chunks.push_back(bytes.substr(at + 4, 4 + length));
    at += length + 12;
  }
  if (chunks.empty()) return {};
  const std::size_t chosen = below(random, chunks.size());
  const auto place = chunks.begin() + static_cast<std::ptrdiff_t>(chosen);
  switch (below(random, 8)) {
    case 0:
      chunks.erase(place);
      break;
    case 1:
      chunks.insert(place, std::string(*place));
      break;
    default:
      *place = place->substr(0, 4) + mutate_bytes(place->substr(4));
  }
  std::string result = bytes.substr(0, signature);
  for (const std::string& chunk : chunks) {
    const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
    result +=
        big_endian(static_cast<std::uint32_t>(chunk.size() - 4)) + chunk + big_endian(static_cast<std::uint32_t>(sum));
  }
  return result;
}

}  // namespace dsk::fuzz
