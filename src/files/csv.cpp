#include "files/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>

#include "files/file_errors.hpp"
#include "files/files.hpp"
#include "files/raw_data.hpp"

namespace dsk::files {
namespace {

constexpr std::string_view layout =
    "each line must have one matrix, d*d numbers separated by commas, row by row, optionally after a label";
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || parsed != end) return {};
  return value;
}

/// d if `count` is d * d, otherwise nothing.
std::optional<Index> square_root(std::size_t count) {
  const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
  if (count == 0 || root * root != count) return {};
  return static_cast<Index>(root);
}

/// Integers if all fields are integers, otherwise text.
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

bool looks_like_name(const std::string& text) {
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
      if (!split_csv_line(*line, fields_)) fail("has a misplaced quotation mark");
      if (++rows_ == 1) {
        decide_layout();
        if (is_header()) continue;
      }
      add_row();
    }
    if (stack_.count == 0) throw file_error(path_, fmt::format("contains no matrices; {}", layout));
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
    if (!dim) fail(fmt::format("has {} fields; {}", count, layout));
    labelled_ = !unlabelled;
    stack_.dim = *dim;
  }

  std::size_t first_number() const { return labelled_ ? 1 : 0; }

  /// Whether the line is a header: names only. Numbers or words for missing values mean that it is an invalid row.
  bool is_header() const {
    return std::all_of(fields_.begin() + static_cast<std::ptrdiff_t>(first_number()), fields_.end(),
                       [](const CsvField& field) { return looks_like_name(field.text); });
  }

  void add_row() {
    const std::size_t expected = static_cast<std::size_t>(stack_.dim * stack_.dim) + first_number();
    if (fields_.size() != expected)
      fail(fmt::format("has {} fields, but the first line has {}; {}", fields_.size(), expected, layout));
    for (std::size_t i = first_number(); i < fields_.size(); ++i) {
      const auto number = parse_number({fields_[i].text, false});
      if (!number) fail(fmt::format("has {} in field {}, not a number; {}", in_quotes(fields_[i].text), i + 1, layout));
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

std::vector<std::string> label_fields(const Labels& labels, const std::filesystem::path& path) {
  std::vector<std::string> fields;
  for (const std::string& name : labels.names()) {
    if (name.find_first_of("\r\n") != std::string::npos) {
      throw file_error(path, fmt::format("cannot be written: label {} contains a line break", in_quotes(name)));
    }
    fields.push_back(labels.integral() ? name : quoted_label(name));
  }
  return fields;
}

}  // namespace

CsvLines::CsvLines(std::string_view text) : rest_(text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
}

std::optional<std::string_view> CsvLines::next() {
  while (!rest_.empty()) {
    const auto end = rest_.find('\n');
    const std::string_view line = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    if (!line.empty() && line[0] != '#') return line;
  }
  return {};
}

bool split_csv_line(std::string_view line, std::vector<CsvField>& fields) {
  std::size_t count = 0;
  const auto add = [&]() -> CsvField& {
    if (count == fields.size()) fields.emplace_back();
    CsvField& field = fields[count++];
    field.text.clear();
    field.quoted = false;
    return field;
  };
  for (bool more = true; more;) {
    CsvField& field = add();
    const auto start = line.find_first_not_of(blanks);
    if (start != std::string_view::npos && line[start] == '"') {
      field.quoted = true;
      line.remove_prefix(start + 1);
      for (;;) {
        const auto mark = line.find('"');
        if (mark == std::string_view::npos) return false;
        field.text.append(line.substr(0, mark));
        line.remove_prefix(mark + 1);
        if (!line.starts_with('"')) break;
        field.text.push_back('"');
        line.remove_prefix(1);
      }
      line = trimmed(line);
      if (!line.empty() && line[0] != ',') return false;
    }
    const auto comma = line.find(',');
    if (!field.quoted) field.text = trimmed(line.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) line.remove_prefix(comma + 1);
  }
  fields.resize(count);
  return true;
}

std::optional<double> parse_number(const CsvField& field) {
  return field.quoted ? std::nullopt : parse_whole<double>(field.text);
}

std::optional<long long> parse_integer(const CsvField& field) {
  if (field.quoted) return {};
  if (const auto integer = parse_whole<long long>(field.text)) return integer;
  const auto number = parse_number(field);
  constexpr double largest_exact_integer = 9007199254740992.0;
  if (!number || !(std::abs(*number) <= largest_exact_integer) || *number != std::floor(*number)) return {};
  return static_cast<long long>(*number);
}

std::string quoted_label(std::string_view label) {
  const bool plain = !label.empty() && label == trimmed(label) && label[0] != '#' &&
                     label.find_first_of(",\"") == std::string_view::npos &&
                     !parse_number({std::string(label), false}) && !label.starts_with("\xef\xbb\xbf");
  if (plain) return std::string(label);
  std::string result = "\"";
  for (const char c : label) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

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
      throw file_error(path, fmt::format("line {} is not a single label; each line must have one", lines.number()));
    }
    labels.push_back(fields[0]);
  }
  // Text above nothing but integers is the column header.
  const auto is_integer = [](const CsvField& field) { return parse_integer(field).has_value(); };
  if (labels.size() > 1 && !parse_number(labels[0]) && std::all_of(labels.begin() + 1, labels.end(), is_integer)) {
    labels.erase(labels.begin());
  }
  return label_array(labels);
}

void write_csv_file(const FileContent& content, const std::filesystem::path& path) {
  const auto names = content.labels != nullptr ? label_fields(*content.labels, path) : std::vector<std::string>{};
  const auto rows = static_cast<std::size_t>(content.numbers.shape[0]);
  const std::size_t columns = rows == 0 ? 0 : content.numbers.values.size() / rows;
  constexpr std::size_t flush_at = 1 << 20;
  AtomicFile file(path);
  fmt::memory_buffer text;
  const auto end = std::back_inserter(text);
  for (std::size_t row = 0; row < rows; ++row) {
    if (content.labels != nullptr) {
      const auto code = static_cast<std::size_t>((*content.labels)[static_cast<Index>(row)]);
      fmt::format_to(end, "{},", names[code]);
    }
    const auto values = content.numbers.values.subspan(row * columns, columns);
    for (std::size_t i = 0; i < columns; ++i) fmt::format_to(end, "{}{}", values[i], i + 1 < columns ? "," : "");
    text.push_back('\n');
    if (text.size() >= flush_at || row + 1 == rows) {
      file.write(std::string_view(text.data(), text.size()));
      text.clear();
    }
  }
  file.commit();
}

}  // namespace dsk::files
