#include <dsk/report/page.hpp>

#include <gtest/gtest.h>

namespace dsk::test {
namespace {

TEST(Page, HoldsWhatWasAddedInOrder) {
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
}

TEST(Page, LetsNoMarkupThrough) {
  Page page("<script>alert(1)</script>");
  page.add_text("a < b & \"c\"");
  page.add_table({{"<img src=x>"}});
  const std::string html = page.html();
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_NE(html.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
}

TEST(Page, AsksNothingOfTheNetwork) {
  Page page("t");
  page.add_heat_map("map", {0, 1, 1, 0}, 2, {1});
  for (const char* word : {"http:", "https:", "src=", "@import", "<link", "<script"})
    EXPECT_EQ(page.html().find(word), std::string::npos) << word;
}

TEST(Page, ThinsOutLargeHeatMaps) {
  Page page("t");
  page.add_heat_map("map", std::vector<double>(1000 * 1000, 0.5), 1000);
  EXPECT_LT(page.html().size(), 2'000'000U);
}

}  // namespace
}  // namespace dsk::test
