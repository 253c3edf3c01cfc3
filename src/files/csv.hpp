#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk::files {

struct CsvField {
  std::string text;
  bool quoted = false;  ///< text, even if it looks like a number
};

/// Iterates over the lines of `text`; skips empty lines and lines that start with '#'.
class CsvLines {
 public:
  explicit CsvLines(std::string_view text);
  /// The next line without its line break, or nothing at the end of the text.
  std::optional<std::string_view> next();
  /// Number of the last returned line, starting at 1.
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Splits a line at its commas. Returns false if a quotation mark is misplaced. `fields` can be reused.
bool split_csv_line(std::string_view line, std::vector<CsvField>& fields);

std::optional<double> parse_number(const CsvField& field);

/// An integer, possibly written as 3.0.
std::optional<long long> parse_integer(const CsvField& field);

/// The label as a field, quoted if necessary.
std::string quoted_label(std::string_view label);

}  // namespace dsk::files
