#include <gtest/gtest.h>

#include "report/markup.hpp"
#include "report/report.hpp"

namespace dsk::test {
namespace {

TEST(Page, ContainsWhatWasAddedInOrder) {
  Page page("A title");
  page.add_heading("First");
  page.add_text("Words");
  page.add_table({{"name", "value"}, {"theta", "1.5"}});
  const std::string html = page.html();
  const auto heading = html.find("<h2>First</h2>"), words = html.find("<p>Words</p>"), cell = html.find("<td>1.5</td>");
  EXPECT_NE(html.find("<title>A title</title>"), std::string::npos);
  EXPECT_LT(heading, words);
  EXPECT_LT(words, cell);
  EXPECT_NE(cell, std::string::npos);
  expect_sound(html);
}

TEST(Page, PutsTheAnswerFirst) {
  Page page("Is it better?");
  page.add_text("Words");
  page.add_answer("Yes.");
  const std::string html = page.html();
  EXPECT_LT(html.find("<h1>"), html.find("Yes."));
  EXPECT_LT(html.find("Yes."), html.find("Words"));
}

TEST(Page, BreaksNoLineInsideNamesAndNumbersOfTheAnswer) {
  Page page("");
  page.add_answer("DSK-CA-a:knn is best (p = 3.2e-06), well-known.");
  EXPECT_NE(page.html().find("<span>DSK-CA-a:knn</span> is best <span>(p\u00a0=\u00a03.2e-06),</span> well-known."),
            std::string::npos)
      << page.html();
}

TEST(Page, EscapesMarkup) {
  Page page("<script>alert(1)</script>");
  page.add_text("a < b & \"c\"");
  page.add_table({{"<img src=x>"}});
  page.add_settings({{"<b>", "--option=<i> --other"}});
  const std::string html = page.html();
  for (const char* tag : {"<script>", "<img", "<b>", "<i>"}) EXPECT_EQ(html.find(tag), std::string::npos) << tag;
  EXPECT_NE(html.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_EQ(fault_in_markup(html), "");
}

TEST(Page, ReplacesInvalidCharacters) {
  const std::string wrong[] = {
      "\x01",         "\x7f",     "\xff",         "\xc0\xaf",          "\xed\xa0\x80", "\xf4\x90\x80\x80",
      "\xe2\x80\xae", "\xe2\x82", "\xef\xbf\xbf", std::string(1, '\0')};
  for (const std::string& bytes : wrong) {
    Page page("t");
    page.add_text("<" + bytes + ">");
    const std::string body = body_of(page.html());
    EXPECT_NE(body.find("�"), std::string::npos);
    EXPECT_EQ(body.find(bytes), std::string::npos);
    EXPECT_EQ(fault_in_markup(page.html()), "");
  }
  Page page("t");
  page.add_text("θ ≤ 5 µm, 素");
  EXPECT_NE(page.html().find("<p>θ ≤ 5 µm, 素</p>"), std::string::npos);
}

TEST(Table, AlignsNumbersAndMarksTheBestRow) {
  Page page("t");
  page.add_table({{"method", "accuracy", "stop"}, {"a", "−1.5", "limit"}, {"b", "n/a"}, {"c", "12 %", "small", "!"}},
                 3);
  const std::string html = page.html();
  EXPECT_NE(html.find("<td>−1.5</td>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"words\">limit</td>"), std::string::npos);
  EXPECT_NE(html.find("<tr class=\"best\"><td class=\"words\">c</td><td>12 %</td>"), std::string::npos);
  EXPECT_EQ(count_of("<td", html), 12U);
  expect_sound(html);
}

TEST(Table, CanBeEmptyOrLarge) {
  Page page("t");
  page.add_table({});
  page.add_table({{}});
  page.add_table({{"only", "a header"}});
  page.add_table(std::vector<std::vector<std::string>>(10'000, {"a", "1"}), 20'000);
  expect_sound(page.html());
}

TEST(Settings, DoNotBreakOptions) {
  Page page("t");
  page.add_settings({{"command", "dsk learn --seed 7 -"}, {"", ""}, {"name", " two  spaces "}});
  EXPECT_NE(page.html().find("<dd>dsk learn <span>--seed</span> 7 <span>-</span></dd>"), std::string::npos);
  EXPECT_NE(page.html().find("<dd> two  spaces </dd>"), std::string::npos);
  expect_sound(page.html());
}

}  // namespace
}  // namespace dsk::test
