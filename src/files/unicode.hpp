#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsk::files {

/// Adds one character to `text`; false if it is none.
bool append_utf8(std::string& text, std::uint32_t code_point);

/// Nothing if the bytes are not UTF-8.
std::optional<std::u32string> from_utf8(std::string_view bytes);

/// The 16-bit units that MATLAB counts, and back; nothing for half a surrogate pair.
std::u16string to_utf16(std::u32string_view text);
std::optional<std::string> from_utf16(std::u16string_view units);

}  // namespace dsk::files
