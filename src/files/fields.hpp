#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dsk::files {

/// The members of a JSON object that must outlive this. What is missing or has another type throws InvalidInput with
/// the file's and the member's name.
class Fields {
 public:
  /// `source` is how messages name the object.
  Fields(const nlohmann::json& object, std::filesystem::path source);

  double number(const std::string& name) const;
  /// A whole number of 0 or more.
  long long count(const std::string& name) const;
  bool flag(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  Fields object(const std::string& name) const;
  bool contains(const std::string& name) const { return object_->contains(name); }

 private:
  const nlohmann::json& find(const std::string& name) const;

  const nlohmann::json* object_;
  std::filesystem::path source_;
};

/// JSON has no infinities: they become texts, which Fields::number reads. Finite numbers keep all their bits.
nlohmann::ordered_json number_field(double value);

}  // namespace dsk::files
