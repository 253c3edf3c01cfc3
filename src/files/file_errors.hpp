#pragma once

#include <dsk/errors.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace dsk::files {

/// An error with the message "file: what". Line breaks and other control characters are replaced.
InvalidInput file_error(const std::filesystem::path& file, std::string_view what);

/// The message for an error number of a system call.
std::string system_reason(int error_number);

/// Says which extension the file has, and which it must have.
InvalidInput wrong_extension(const std::filesystem::path& file, std::string_view wanted);

/// Quotes text from a file for a message; at most 40 characters.
std::string in_quotes(std::string_view text);

}  // namespace dsk::files
