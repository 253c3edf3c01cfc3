#pragma once

#include <dsk/matrices.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace dsk::files {

/// `file: what`, on one line whatever bytes the file's name or `what` contain.
InvalidInput file_error(const std::filesystem::path& file, std::string_view what);

/// The reason a system call gave, in words.
std::string system_reason(int error_number);

/// At most 40 characters of text from a file, quoted, for use in a message.
std::string in_quotes(std::string_view text);

}  // namespace dsk::files
