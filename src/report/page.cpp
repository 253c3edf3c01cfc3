#include <fmt/format.h>

#include <algorithm>

#include "report/figure.hpp"
#include "report/report.hpp"
#include "report/style.hpp"

namespace dsk {
namespace {

using drawing::escaped;

using TableRows = std::vector<std::vector<std::string>>;

/// Whether the cell is a number, possibly followed by a unit or an interval, or marks a missing number.
bool is_numeric(std::string_view cell) {
  for (const std::string_view sign : {"-", "+", "−", "±", "<", ">", "~"})
    if (cell.starts_with(sign)) cell.remove_prefix(sign.size());
  if (cell.starts_with(' ')) cell.remove_prefix(1);
  if (cell.empty()) return true;
  for (const std::string_view word : {"nan", "inf", "n/a", "∞", "–", "—"})
    if (cell == word) return true;
  return (cell[0] >= '0' && cell[0] <= '9') || cell[0] == '.';
}

std::vector<bool> columns_of_words(const TableRows& rows) {
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  std::vector<bool> words(columns, false);
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) words[c] = words[c] || !is_numeric(rows[r][c]);
  if (columns > 0) words[0] = true;
  return words;
}

/// Whether names in the first column are so long that they need several lines.
bool has_long_names(const TableRows& rows) {
  constexpr double widest_line = 420;
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
    return !row.empty() && drawing::text_width(row.front(), 13.5) > widest_line;
  });
}

/// Keeps a short unit at the end on the same line as the quantity.
std::string header(std::string text) {
  const std::size_t space = text.rfind(' ');
  if (space != std::string::npos && text.size() - space <= 3) text.replace(space, 1, "\u00a0");
  return text;
}

/// Whether a browser might break a line inside the word although it is an option of the command line, the name of a
/// method, such as DSK-CA-a:knn, or a number, such as 3.2e-06.
bool is_broken_by_hyphens(std::string_view word) {
  if (word.starts_with('-')) return true;
  const std::size_t exponent = word.find("e-");
  const bool has_exponent =
      exponent != std::string_view::npos && exponent > 0 && word[exponent - 1] >= '0' && word[exponent - 1] <= '9';
  return has_exponent || (word.find('-') != std::string_view::npos && word.find(':') != std::string_view::npos);
}

/// Escapes text and prevents line breaks inside such words.
std::string with_whole_words(const std::string& text) {
  std::string result;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    result += is_broken_by_hyphens(word) ? fmt::format("<span>{}</span>", escaped(word)) : escaped(word);
    if (end < text.size()) result += ' ';
    start = end + 1;
  }
  return result;
}

/// Keeps equations, such as p = 0.05, in one line.
std::string with_whole_equations(std::string text) {
  const std::string_view sign = " = ";
  for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
    text.replace(at, sign.size(), "\u00a0=\u00a0");
  return text;
}

}  // namespace

Page::Page(const std::string& title) : title_(escaped(title)) {}

void Page::add_answer(const std::string& text) {
  answer_ += fmt::format("<p class=\"answer\">{}</p>\n", with_whole_words(with_whole_equations(text)));
}

void Page::add_heading(const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n", escaped(text));
}

void Page::add_text(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void Page::add_table(const TableRows& rows, std::size_t best) {
  const std::vector<bool> words = columns_of_words(rows);
  if (words.empty()) return;
  const bool has_long = has_long_names(rows);
  body_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += r == 0 ? "<thead><tr>" : r == best ? "<tr class=\"best\">" : "<tr>";
    for (std::size_t c = 0; c < words.size(); ++c)
      body_ += fmt::format("<{0}{1}>{2}</{0}>", r == 0 ? "th" : "td",
                           c == 0 && has_long ? " class=\"words long\""
                           : words[c]         ? " class=\"words\""
                                              : "",
                           c < rows[r].size() ? escaped(r == 0 ? header(rows[r][c]) : rows[r][c]) : "");
    body_ += r == 0 ? "</tr></thead><tbody>\n" : "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::add_settings(const std::vector<Evaluation::Setting>& settings) {
  if (settings.empty()) return;
  body_ += "<dl class=\"settings\">\n";
  for (const Evaluation::Setting& setting : settings)
    body_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(setting.name), with_whole_words(setting.value));
  body_ += "</dl>\n";
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>{1}{2}{3}{4}</style>\n"
      "</head><body>\n<h1>{0}</h1>\n{5}{6}</body></html>\n",
      title_, drawing::colour_style, drawing::page_style, drawing::drawing_style, drawing::screen_style, answer_,
      body_);
}

}  // namespace dsk
