#include "files/json_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "files/file_errors.hpp"
#include "files/files.hpp"

namespace dsk::files {

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

namespace {

constexpr std::string_view plus_infinity = "infinite";
constexpr std::string_view minus_infinity = "-infinite";

InvalidInput type_error(const std::filesystem::path& source, const std::string& name, std::string_view wanted) {
  return file_error(source, fmt::format("field {} is not {}", name, wanted));
}

}  // namespace

Fields::Fields(const nlohmann::json& object, std::filesystem::path source)
    : object_(&object), source_(std::move(source)) {
  if (!object.is_object()) throw file_error(source_, "is not a JSON object");
}

const nlohmann::json& Fields::find(const std::string& name) const {
  const auto found = object_->find(name);
  if (found == object_->end()) throw file_error(source_, fmt::format("field {} is missing", name));
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
