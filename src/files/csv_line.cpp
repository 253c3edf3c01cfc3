#include "files/csv_line.hpp"

#include <charconv>
#include <cmath>

namespace dsk::files {
namespace {

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

}  // namespace dsk::files
