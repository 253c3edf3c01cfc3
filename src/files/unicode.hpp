#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsk::files {

/// Appends a character to `text`. Returns false if the code point is not valid.
bool append_utf8(std::string& text, std::uint32_t code_point);

/// Decodes UTF-8. Returns nothing if the bytes are not valid.
std::optional<std::u32string> from_utf8(std::string_view bytes);

/// Converts to and from UTF-16, which MATLAB uses. Returns nothing for an incomplete surrogate pair.
std::u16string to_utf16(std::u32string_view text);
std::optional<std::string> from_utf16(std::u16string_view units);

}  // namespace dsk::files
