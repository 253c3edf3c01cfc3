#pragma once

#include <dsk/matrices.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk::files {

/// An error with the message "file: what". Line breaks and other control characters are replaced.
InvalidInput file_error(const std::filesystem::path& file, std::string_view what);

/// The message for an error number of a system call.
std::string system_reason(int error_number);

/// Quotes text from a file for a message; at most 40 characters.
std::string in_quotes(std::string_view text);

enum class FileFormat { npy, npz, mat, csv };

/// The format for the extension of `path`, ignoring case. Throws InvalidInput if it is not one of these.
FileFormat format_of(const std::filesystem::path& path);

/// Appends a character to `text`. Returns false if the code point is not valid.
bool append_utf8(std::string& text, std::uint32_t code_point);

/// Decodes UTF-8. Returns nothing if the bytes are not valid.
std::optional<std::u32string> from_utf8(std::string_view bytes);

/// Converts to and from UTF-16, which MATLAB uses. Returns nothing for an incomplete surrogate pair.
std::u16string to_utf16(std::u32string_view text);
std::optional<std::string> from_utf16(std::u16string_view units);

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
