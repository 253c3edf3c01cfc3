#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk::files {

struct CsvField {
  std::string text;
  bool quoted = false;  ///< always a text, even if it looks like a number
};

/// Takes lines from the front of `text`, passing over empty ones and those that start with '#'.
class CsvLines {
 public:
  explicit CsvLines(std::string_view text);
  /// The next line with content, without its end; nothing at the end of the text.
  std::optional<std::string_view> next();
  /// Counted from 1, of the line last returned.
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Splits at commas; nothing if a quotation mark is left open. `fields` is used again from line to line.
bool split_csv_line(std::string_view line, std::vector<CsvField>& fields);

std::optional<double> parse_number(const CsvField& field);

/// A whole number, also if written as 3.0.
std::optional<long long> parse_integer(const CsvField& field);

/// The label as a field that reads back as the same text.
std::string quoted_label(std::string_view label);

}  // namespace dsk::files
