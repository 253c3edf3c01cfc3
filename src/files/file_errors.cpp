#include "files/file_errors.hpp"

#include <fmt/format.h>

#include <system_error>

namespace dsk::files {
namespace {

constexpr std::size_t longest_quote = 40;

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

}  // namespace

InvalidInput file_error(const std::filesystem::path& file, std::string_view what) {
  return InvalidInput(on_one_line(fmt::format("{}: {}", file.string(), what)));
}

std::string system_reason(int error_number) {
  return std::generic_category().message(error_number);
}

InvalidInput wrong_extension(const std::filesystem::path& file, std::string_view wanted) {
  const std::string extension = file.extension().string();
  if (extension.empty()) return file_error(file, fmt::format("has no extension; it must be {}", wanted));
  return file_error(file, fmt::format("has extension {}, not {}", in_quotes(extension), wanted));
}

std::string in_quotes(std::string_view text) {
  const bool whole = text.size() <= longest_quote;
  return on_one_line(fmt::format("'{}{}'", text.substr(0, longest_quote), whole ? "" : "..."));
}

}  // namespace dsk::files
