#include <dsk/report.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "report/text.hpp"

namespace dsk {
namespace {

using TableRows = std::vector<std::vector<std::string>>;

/// Whether the cell is a number, perhaps with a unit or an interval behind it, or says that there is none.
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

/// A short unit at the end stays on the line of what it measures.
std::string header(std::string text) {
  const std::size_t space = text.rfind(' ');
  if (space != std::string::npos && text.size() - space <= 3) text.replace(space, 1, "\u00a0");
  return text;
}

}  // namespace

void Page::add_table(const TableRows& rows, std::size_t best) {
  const std::vector<bool> words = columns_of_words(rows);
  if (words.empty()) return;
  body_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += r == 0 ? "<thead><tr>" : r == best ? "<tr class=\"best\">" : "<tr>";
    for (std::size_t c = 0; c < words.size(); ++c)
      body_ += fmt::format("<{0}{1}>{2}</{0}>", r == 0 ? "th" : "td", words[c] ? " class=\"words\"" : "",
                           c < rows[r].size() ? report::escaped(r == 0 ? header(rows[r][c]) : rows[r][c]) : "");
    body_ += r == 0 ? "</tr></thead><tbody>\n" : "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

}  // namespace dsk
