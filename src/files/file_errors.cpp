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

std::string in_quotes(std::string_view text) {
  const bool whole = text.size() <= longest_quote;
  return on_one_line(fmt::format("'{}{}'", text.substr(0, longest_quote), whole ? "" : "..."));
}

}  // namespace dsk::files
