#include "files/unicode.hpp"

namespace dsk::files {
namespace {

/// Number of bytes that follow the first byte of a character, or nothing if this is not a first byte.
std::optional<std::size_t> following_bytes(std::uint32_t first) {
  if (first < 0x80) return 0;
  if (first < 0xc2) return {};
  if (first < 0xe0) return 1;
  if (first < 0xf0) return 2;
  if (first < 0xf5) return 3;
  return {};
}

bool is_character(std::uint32_t code_point) {
  return code_point <= 0x10ffff && (code_point < 0xd800 || code_point >= 0xe000);
}

}  // namespace

bool append_utf8(std::string& text, std::uint32_t code_point) {
  const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  const auto add_following = [&](int shift) { add(0x80 | ((code_point >> shift) & 0x3f)); };
  if (!is_character(code_point)) return false;
  if (code_point < 0x80) {
    add(code_point);
  } else if (code_point < 0x800) {
    add(0xc0 | (code_point >> 6));
    add_following(0);
  } else if (code_point < 0x10000) {
    add(0xe0 | (code_point >> 12));
    add_following(6);
    add_following(0);
  } else {
    add(0xf0 | (code_point >> 18));
    add_following(12);
    add_following(6);
    add_following(0);
  }
  return true;
}

std::optional<std::u32string> from_utf8(std::string_view bytes) {
  std::u32string text;
  while (!bytes.empty()) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
    const auto following = following_bytes(byte(0));
    if (!following || *following >= bytes.size()) return {};
    std::uint32_t code_point = *following == 0 ? byte(0) : byte(0) & (0x3fu >> *following);
    for (std::size_t i = 1; i <= *following; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return {};
      code_point = code_point << 6 | (byte(i) & 0x3f);
    }
    if (!is_character(code_point)) return {};
    text.push_back(code_point);
    bytes.remove_prefix(*following + 1);
  }
  return text;
}

std::u16string to_utf16(std::u32string_view text) {
  std::u16string units;
  for (const char32_t code_point : text) {
    if (code_point >= 0x10000) {
      units.push_back(static_cast<char16_t>(0xd7c0 + (code_point >> 10)));
      units.push_back(static_cast<char16_t>(0xdc00 | (code_point & 0x3ff)));
    } else {
      units.push_back(static_cast<char16_t>(code_point));
    }
  }
  return units;
}

std::optional<std::string> from_utf16(std::u16string_view units) {
  std::string text;
  std::uint32_t high = 0;
  for (const char16_t unit : units) {
    const bool is_high = unit >= 0xd800 && unit < 0xdc00;
    const bool is_low = unit >= 0xdc00 && unit < 0xe000;
    if ((high != 0) != is_low) return {};
    if (!is_high) append_utf8(text, is_low ? ((high - 0xd7c0) << 10 | (unit & 0x3ffu)) : unit);
    high = is_high ? unit : 0;
  }
  if (high != 0) return {};
  return text;
}

}  // namespace dsk::files
