#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dsk::files {

/// Typed access to the fields of a JSON object, which must outlive this. Throws InvalidInput, naming the file and the
/// field, if a field is missing or has another type.
class Fields {
 public:
  /// `source` is the name of the object in messages.
  Fields(const nlohmann::json& object, std::filesystem::path source);

  double number(const std::string& name) const;
  /// A non-negative integer.
  long long count(const std::string& name) const;
  bool flag(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  Fields object(const std::string& name) const;
  std::vector<Fields> objects(const std::string& name) const;
  bool contains(const std::string& name) const { return object_->contains(name); }

 private:
  const nlohmann::json& find(const std::string& name) const;

  const nlohmann::json* object_;
  std::filesystem::path source_;
};

/// A number for JSON, which has no infinities: they are stored as strings, which Fields::number understands. Finite
/// numbers are stored exactly.
nlohmann::ordered_json number_field(double value);

}  // namespace dsk::files
