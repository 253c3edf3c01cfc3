#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace dsk::test {

inline bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") ==
                              std::string_view::npos;
}

/// The first error in the attributes of a tag, each ` name="value"`; empty if there is none.
inline std::string fault_in_attributes(std::string_view rest) {
  while (!rest.empty()) {
    const auto equals = rest.find("=\"");
    if (rest[0] != ' ' || equals == std::string_view::npos || !is_name(rest.substr(1, equals - 1)))
      return "attributes: " + std::string(rest.substr(0, 60));
    const auto end = rest.find('"', equals + 2);
    if (end == std::string_view::npos) return "open attribute: " + std::string(rest.substr(0, 60));
    rest.remove_prefix(end + 1);
  }
  return {};
}

/// The first reason why the page is not well-formed XML, such as unbalanced tags, unquoted attributes or bare
/// ampersands; empty if there is none.
inline std::string fault_in_markup(std::string_view page) {
  std::vector<std::string> open;
  const std::string_view first = "<!DOCTYPE html>\n";
  if (!page.starts_with(first)) return "no document type";
  page.remove_prefix(first.size());
  while (!page.empty()) {
    if (page[0] == '&') {
      const auto end = page.find(';');
      const std::string_view entity = page.substr(1, end - 1);
      if (entity != "amp" && entity != "lt" && entity != "gt" && entity != "quot" && entity != "#39")
        return "bare ampersand";
    }
    if (page[0] != '<') {
      if (page[0] == '>') return "bare >";
      page.remove_prefix(1);
      continue;
    }
    const auto end = page.find('>');
    if (end == std::string_view::npos) return "open tag at the end";
    std::string_view tag = page.substr(1, end - 1);
    page.remove_prefix(end + 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected </" + std::string(tag.substr(1)) + ">";
      open.pop_back();
      continue;
    }
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    const std::string_view name = tag.substr(0, tag.find(' '));
    if (!is_name(name)) return "tag <" + std::string(tag) + ">";
    if (std::string fault = fault_in_attributes(tag.substr(name.size())); !fault.empty()) return fault;
    if (!is_empty) open.emplace_back(name);
    if (name == "style") page.remove_prefix(page.find("</style>"));
  }
  return open.empty() ? "" : "open <" + open.back() + ">";
}

/// The page without the style sheet.
inline std::string body_of(const std::string& page) {
  return page.substr(page.find("<body>"));
}

inline std::size_t count_of(std::string_view word, std::string_view text) {
  std::size_t count = 0;
  for (auto place = text.find(word); place != std::string_view::npos; place = text.find(word, place + word.size()))
    ++count;
  return count;
}

/// Expects a well-formed page without numbers that are invalid in SVG, scripts or requests.
inline void expect_sound(const std::string& page) {
  EXPECT_EQ(fault_in_markup(page), "");
  for (const char* word : {"http", "src=", "@import", "url(", "<link", "<script", "<iframe", "<object", "onload"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  const std::string body = body_of(page);
  std::size_t end = 0;
  for (auto start = body.find("=\""); start != std::string::npos; start = body.find("=\"", end)) {
    end = body.find('"', start + 2) + 1;
    const std::string value = body.substr(start + 2, end - start - 3);
    const bool is_label = body.compare(start - 10, 10, "aria-label") == 0;
    if (is_label || value.starts_with("data:")) continue;
    for (const char* word : {"nan", "inf", "e+", "e-", "−"})
      EXPECT_EQ(value.find(word), std::string::npos) << word << " in " << value.substr(0, 80);
  }
}

}  // namespace dsk::test
