#include <dsk/report.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "report/style.hpp"
#include "report/text.hpp"

namespace dsk {

using report::escaped;

Page::Page(const std::string& title) : title_(escaped(title)) {}

void Page::add_answer(const std::string& text) {
  answer_ += fmt::format("<p class=\"answer\">{}</p>\n", escaped(text));
}

void Page::add_heading(const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n", escaped(text));
}

void Page::add_text(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

namespace {

/// Escaped, with options kept in one piece: a line may not end after the hyphens they begin with.
std::string with_whole_options(const std::string& text) {
  std::string result;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size() - 1) + 1;
    const std::string word = escaped(text.substr(start, end - start));
    result += word.starts_with('-') ? fmt::format("<span>{}</span>", word) : word;
    start = end;
  }
  return result;
}

}  // namespace

void Page::add_settings(const std::vector<Setting>& settings) {
  if (settings.empty()) return;
  body_ += "<dl class=\"settings\">\n";
  for (const Setting& setting : settings)
    body_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(setting.name), with_whole_options(setting.value));
  body_ += "</dl>\n";
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>{1}</style>\n"
      "</head><body>\n<h1>{0}</h1>\n{2}{3}</body></html>\n",
      title_, report::style, answer_, body_);
}

}  // namespace dsk
