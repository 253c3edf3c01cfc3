#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "files/byte_source.hpp"
#include "files/csv_line.hpp"
#include "files/file_error.hpp"
#include "files/readers.hpp"

namespace dsk::files {
namespace {

/// d if `count` is d * d.
std::optional<Index> square_root(std::size_t count) {
  const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
  if (count == 0 || root * root != count) return {};
  return static_cast<Index>(root);
}

/// Integers if all of them are, texts otherwise.
RawArray label_array(const std::vector<CsvField>& fields) {
  RawArray array{{static_cast<Index>(fields.size())}, {}};
  std::vector<long long> integers;
  for (const CsvField& field : fields) {
    const auto integer = parse_integer(field);
    if (!integer) break;
    integers.push_back(*integer);
  }
  if (integers.size() == fields.size()) {
    array.values = std::move(integers);
  } else {
    std::vector<std::string> texts;
    for (const CsvField& field : fields) texts.push_back(field.text);
    array.values = std::move(texts);
  }
  return array;
}

bool looks_like_a_name(const std::string& text) {
  if (text.empty() || !(std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_')) return false;
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower != "na" && lower != "nan" && lower != "null" && lower != "none" && !lower.starts_with("inf");
}

class CsvTable {
 public:
  CsvTable(const std::filesystem::path& path, const std::string& text) : path_(path), lines_(text) {}

  RawDataset read() {
    while (const auto line = lines_.next()) {
      if (!split_csv_line(*line, fields_)) fail("has a quotation mark out of place");
      if (++rows_ == 1) {
        decide_layout();
        if (is_header()) continue;
      }
      add_row();
    }
    if (stack_.count == 0) throw file_error(path_, "holds no matrices");
    RawDataset result{std::move(stack_), {}, {}, false};
    if (labelled_) result.labels = label_array(labels_);
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw file_error(path_, fmt::format("line {} {}", lines_.number(), what));
  }

  void decide_layout() {
    const std::size_t count = fields_.size();
    const auto unlabelled = square_root(count);
    const auto dim = unlabelled ? unlabelled : square_root(count - 1);
    if (!dim) fail(fmt::format("has {} fields: neither d*d numbers nor a label and d*d numbers", count));
    labelled_ = !unlabelled;
    stack_.dim = *dim;
  }

  std::size_t first_number() const { return labelled_ ? 1 : 0; }

  /// A line of names. One with a number in it, or with a word for a missing one, is a row with a mistake.
  bool is_header() const {
    return std::all_of(fields_.begin() + static_cast<std::ptrdiff_t>(first_number()), fields_.end(),
                       [](const CsvField& field) { return looks_like_a_name(field.text); });
  }

  void add_row() {
    const std::size_t expected = static_cast<std::size_t>(stack_.dim * stack_.dim) + first_number();
    if (fields_.size() != expected) fail(fmt::format("has {} fields, the first line {}", fields_.size(), expected));
    for (std::size_t i = first_number(); i < fields_.size(); ++i) {
      const auto number = parse_number({fields_[i].text, false});
      if (!number) fail(fmt::format("has {} in field {}, not a number", in_quotes(fields_[i].text), i + 1));
      stack_.values.push_back(*number);
    }
    if (labelled_) labels_.push_back(fields_[0]);
    ++stack_.count;
  }

  const std::filesystem::path& path_;
  CsvLines lines_;
  std::vector<CsvField> fields_;
  std::size_t rows_ = 0;
  bool labelled_ = false;
  std::vector<CsvField> labels_;
  MatrixStack stack_;
};

}  // namespace

RawDataset read_csv_file(const std::filesystem::path& path) {
  FileSource source(path);
  const std::string text = read_text(source);
  return CsvTable(path, text).read();
}

RawArray read_csv_labels(const std::filesystem::path& path) {
  FileSource source(path);
  const std::string text = read_text(source);
  CsvLines lines(text);
  std::vector<CsvField> labels;
  std::vector<CsvField> fields;
  while (const auto line = lines.next()) {
    if (!split_csv_line(*line, fields) || fields.size() != 1) {
      throw file_error(path, fmt::format("line {} is not one label", lines.number()));
    }
    labels.push_back(fields[0]);
  }
  // A word above nothing but numbers is the column's title.
  const auto is_integer = [](const CsvField& field) { return parse_integer(field).has_value(); };
  if (labels.size() > 1 && !parse_number(labels[0]) && std::all_of(labels.begin() + 1, labels.end(), is_integer)) {
    labels.erase(labels.begin());
  }
  return label_array(labels);
}

}  // namespace dsk::files
