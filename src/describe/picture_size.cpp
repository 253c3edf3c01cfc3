// What the headers of pictures say.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "describe/pictures.hpp"

namespace dsk {
namespace {

constexpr Index most_pixels = Index{1} << 27;

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void truncated() {
  throw InvalidInput("is truncated");
}

/// The integer of `count` bytes at `position`.
std::uint64_t number(Bytes bytes, std::size_t position, int count, bool big_endian) {
  if (position > bytes.size() || bytes.size() - position < static_cast<std::size_t>(count)) truncated();
  std::uint64_t value = 0;
  for (int k = 0; k < count; ++k)
    value |= std::uint64_t{bytes[position + static_cast<std::size_t>(k)]} << (8 * (big_endian ? count - 1 - k : k));
  return value;
}

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin(), [](char a, std::uint8_t b) {
           return static_cast<std::uint8_t>(a) == b;
         });
}

/// Whether there are pixels, and few enough that sizes can be multiplied.
bool is_possible(const Size& size) {
  constexpr Index longest_side = 1 << 20;
  return size.width >= 1 && size.height >= 1 && size.width <= longest_side && size.height <= longest_side &&
         size.width * size.height <= most_pixels;
}

Size size(std::uint64_t width, std::uint64_t height) {
  return {static_cast<Index>(width), static_cast<Index>(height)};
}

Size png_size(Bytes bytes) {
  const Size found = size(number(bytes, 16, 4, true), number(bytes, 20, 4, true));
  for (std::size_t chunk = 8;;) {
    const std::uint64_t length = number(bytes, chunk, 4, true);
    if (length > bytes.size() || bytes.size() - length < chunk + 12) truncated();
    const Bytes content = bytes.subspan(chunk + 4, length + 4);
    if (crc32(0, content.data(), static_cast<uInt>(content.size())) != number(bytes, chunk + 8 + length, 4, true))
      throw InvalidInput("is corrupted: a checksum is wrong");
    if (starts_with(content, "IEND")) return found;
    chunk += length + 12;
  }
}

Size jpeg_size(Bytes bytes) {
  Size found;
  for (std::size_t at = 2;;) {
    while (number(bytes, at, 1, true) != 0xff) ++at;
    while (number(bytes, at, 1, true) == 0xff) ++at;
    const std::uint64_t marker = bytes[at++];
    if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    const bool is_frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (is_frame) found = size(number(bytes, at + 5, 2, true), number(bytes, at + 3, 2, true));
    at += number(bytes, at, 2, true);
    if (marker != 0xda) continue;
    // Within the coded data of a scan, this pair of bytes can only be the end of the picture.
    constexpr std::array<std::uint8_t, 2> end_of_picture = {0xff, 0xd9};
    const Bytes rest = bytes.subspan(std::min(at, bytes.size()));
    if (std::search(rest.begin(), rest.end(), end_of_picture.begin(), end_of_picture.end()) == rest.end()) truncated();
    return found;
  }
}

Size bmp_size(Bytes bytes) {
  const std::uint64_t start = number(bytes, 10, 4, false);
  if (number(bytes, 14, 4, false) == 12) return size(number(bytes, 18, 2, false), number(bytes, 20, 2, false));
  const auto width = static_cast<std::int32_t>(number(bytes, 18, 4, false));
  const auto height = static_cast<std::int32_t>(number(bytes, 22, 4, false));
  const Size found = {width, height < 0 ? -Index{height} : Index{height}};
  const std::uint64_t bits = number(bytes, 28, 2, false), packing = number(bytes, 30, 4, false);
  if (packing == 0 && found.width > 0 && bits <= 64 &&
      (static_cast<std::uint64_t>(found.width) * bits + 31) / 32 * 4 * static_cast<std::uint64_t>(found.height) +
              start >
          bytes.size())
    truncated();
  return found;
}

/// Decoders allocate a strip or a tile as a whole, however many rows of it the picture has.
void check_block(const Size& picture, const Size& block) {
  constexpr Index always = Index{1} << 22, most_pictures = 16;
  if (block.width > 0 && block.height > std::max(always, most_pictures * picture.width * picture.height) / block.width)
    throw InvalidInput(fmt::format("is corrupted: its header says blocks of {} x {} pixels for a picture of {} x {}",
                                   block.width, block.height, picture.width, picture.height));
}

Size tiff_size(Bytes bytes) {
  constexpr Index whole_picture = 0xffffffff;
  const bool big_endian = bytes[0] == 'M';
  const std::size_t directory = number(bytes, 4, 4, big_endian);
  const std::uint64_t entries = number(bytes, directory, 2, big_endian);
  std::map<std::uint64_t, Index> sizes = {{256, 0}, {257, 0}, {278, whole_picture}, {322, 0}, {323, 0}};
  std::set<std::uint64_t> found;
  for (std::uint64_t k = 0; k < entries; ++k) {
    const std::size_t entry = directory + 2 + 12 * k;
    const std::uint64_t tag = number(bytes, entry, 2, big_endian), type = number(bytes, entry + 2, 2, big_endian);
    if (!sizes.contains(tag)) continue;
    // Readers differ in which of two they take.
    if (!found.insert(tag).second || (type != 3 && type != 4))
      throw InvalidInput("is corrupted: its header contains a size twice or in a wrong form");
    sizes[tag] = static_cast<Index>(number(bytes, entry + 8, type == 3 ? 2 : 4, big_endian));
  }
  const Size picture = {sizes[256], sizes[257]};
  if (!is_possible(picture)) return picture;
  check_block(picture, {sizes[322], sizes[323]});
  if (sizes[278] != whole_picture) check_block(picture, {picture.width, sizes[278]});
  return picture;
}

/// The next number of a text header. Skips white space and comments.
std::uint64_t text_number(Bytes bytes, std::size_t& at) {
  const auto here = [&] { return static_cast<int>(number(bytes, at, 1, false)); };
  while (std::isspace(here()) != 0 || here() == '#') {
    if (here() == '#')
      while (here() != '\n') ++at;
    ++at;
  }
  std::uint64_t value = 0;
  if (std::isdigit(here()) == 0) throw InvalidInput("is corrupted: its header contains no size");
  for (; at < bytes.size() && std::isdigit(here()) != 0; ++at)
    value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(here() - '0'), 1 << 30);
  return value;
}

Size pnm_size(Bytes bytes) {
  const char kind = static_cast<char>(bytes[1]);
  std::size_t at = 2;
  const std::uint64_t width = text_number(bytes, at), height = text_number(bytes, at);
  const bool bits = kind == '1' || kind == '4', text = kind <= '3';
  const std::uint64_t largest = bits ? 1 : text_number(bytes, at);
  const std::uint64_t samples = width * (kind == '3' || kind == '6' ? 3 : 1);
  const std::uint64_t line = kind == '4' ? (width + 7) / 8 : samples * (text || largest < 256 ? 1 : 2);
  if (height > 0 && line > (bytes.size() - at) / height) truncated();
  return size(width, height);
}

Size claimed_size(Bytes bytes) {
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) return png_size(bytes);
  if (starts_with(bytes, "\xff\xd8\xff")) return jpeg_size(bytes);
  if (starts_with(bytes, "BM")) return bmp_size(bytes);
  if (starts_with(bytes, {"II*\0", 4}) || starts_with(bytes, {"MM\0*", 4})) return tiff_size(bytes);
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6') return pnm_size(bytes);
  throw InvalidInput(bytes.empty() ? "is empty" : "is not a png, jpg, bmp, tif, pgm or ppm picture");
}

}  // namespace

Size detail::picture_size(Bytes bytes) {
  constexpr Index pixels_per_byte = Index{1032} * 8;  // the best that deflate can do, with one bit per pixel
  const Size found = claimed_size(bytes);
  if (found.width < 1 || found.height < 1) throw InvalidInput("has no pixels");
  const std::string what = fmt::format("has a header for {} x {} pixels", found.width, found.height);
  if (!is_possible(found)) throw InvalidInput(fmt::format("{}, more than the limit of {}", what, most_pixels));
  if (found.width * found.height > pixels_per_byte * static_cast<Index>(bytes.size()))
    throw InvalidInput(fmt::format("{}, more than its {} bytes can hold", what, bytes.size()));
  return found;
}

double detail::white_of(Bytes bytes) {
  if (bytes.size() < 3 || bytes[0] != 'P' || bytes[1] < '2' || bytes[1] > '6' || bytes[1] == '4') return 0;
  std::size_t at = 2;
  text_number(bytes, at);
  text_number(bytes, at);
  const std::uint64_t largest = text_number(bytes, at);
  // OpenCV scales text formats to the full range of a byte if their values fit into a byte.
  const bool spread = bytes[1] <= '3' && largest < 256;
  return spread ? 255 : static_cast<double>(largest);
}

void detail::check_resize(const Size& size) {
  if (size.width < 1 || size.height < 1)
    throw InvalidInput(fmt::format("a size of {} x {} pixels is not possible", size.width, size.height));
  if (size.width > most_pixels / size.height)
    throw InvalidInput(
        fmt::format("a size of {} x {} pixels is more than the limit of {}", size.width, size.height, most_pixels));
}

}  // namespace dsk
