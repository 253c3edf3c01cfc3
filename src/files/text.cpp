#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "files/files.hpp"
#include "files/text.hpp"

namespace dsk::files {
namespace {

constexpr std::size_t longest_quote = 40;

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

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

FileFormat format_of(const std::filesystem::path& path) {
  constexpr std::array formats{std::pair{".npy", FileFormat::npy}, std::pair{".npz", FileFormat::npz},
                               std::pair{".mat", FileFormat::mat}, std::pair{".csv", FileFormat::csv}};
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [known, format] : formats) {
    if (extension == known) return format;
  }
  throw file_error(path, fmt::format("has extension {}, not .npy, .npz, .mat or .csv", in_quotes(extension)));
}

bool is_nested_too_deeply(std::string_view json) {
  constexpr int deepest = 64;
  int depth = 0;
  bool in_string = false;
  for (std::size_t k = 0; k < json.size(); ++k) {
    const char c = json[k];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++k;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

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

namespace {

constexpr std::string_view plus_infinity = "infinite";
constexpr std::string_view minus_infinity = "-infinite";

InvalidInput type_error(const std::filesystem::path& source, const std::string& name, std::string_view wanted) {
  return files::file_error(source, fmt::format("field {} is not {}", name, wanted));
}

}  // namespace

Fields::Fields(const nlohmann::json& object, std::filesystem::path source)
    : object_(&object), source_(std::move(source)) {
  if (!object.is_object()) throw files::file_error(source_, "is not a JSON object");
}

const nlohmann::json& Fields::find(const std::string& name) const {
  const auto found = object_->find(name);
  if (found == object_->end()) throw files::file_error(source_, fmt::format("field {} is missing", name));
  return *found;
}

double Fields::number(const std::string& name) const {
  const nlohmann::json& value = find(name);
  if (value == plus_infinity) return std::numeric_limits<double>::infinity();
  if (value == minus_infinity) return -std::numeric_limits<double>::infinity();
  if (!value.is_number()) throw type_error(source_, name, "a number");
  return value.get<double>();
}

long long Fields::count(const std::string& name) const {
  const nlohmann::json& value = find(name);
  constexpr auto most = static_cast<unsigned long long>(std::numeric_limits<long long>::max());
  if (!value.is_number_unsigned() || value.get<unsigned long long>() > most)
    throw type_error(source_, name, "a non-negative integer");
  return value.get<long long>();
}

bool Fields::flag(const std::string& name) const {
  const nlohmann::json& value = find(name);
  if (!value.is_boolean()) throw type_error(source_, name, "true or false");
  return value.get<bool>();
}

std::string Fields::text(const std::string& name) const {
  const nlohmann::json& value = find(name);
  if (!value.is_string()) throw type_error(source_, name, "a string");
  return value.get<std::string>();
}

std::vector<std::string> Fields::texts(const std::string& name) const {
  const nlohmann::json& values = find(name);
  if (!values.is_array()) throw type_error(source_, name, "a list of strings");
  std::vector<std::string> result;
  for (const nlohmann::json& value : values) {
    if (!value.is_string()) throw type_error(source_, name, "a list of strings");
    result.push_back(value.get<std::string>());
  }
  return result;
}

Fields Fields::object(const std::string& name) const {
  return {find(name), fmt::format("{}: {}", source_.string(), name)};
}

std::vector<Fields> Fields::objects(const std::string& name) const {
  const nlohmann::json& value = find(name);
  if (!value.is_array()) throw type_error(source_, name, "a list");
  std::vector<Fields> result;
  for (const nlohmann::json& one : value)
    result.emplace_back(one, fmt::format("{}: {} {}", source_.string(), name, result.size()));
  return result;
}

nlohmann::ordered_json number_field(double value) {
  if (std::isinf(value)) return value > 0 ? plus_infinity : minus_infinity;
  return value;
}

}  // namespace dsk::files
