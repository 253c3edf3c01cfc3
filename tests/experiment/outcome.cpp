#include <gtest/gtest.h>

#include "experiment/experiment.hpp"

namespace dsk::test {
namespace {

const experiment::Outcome made_outcome{
    .title = "A title",
    .answer = "An answer.",
    .sections = {{.heading = "First",
                  .text = {"A sentence."},
                  .table = {{"method", "ours"}, {"SK", "1.00 ± 0.10"}, {"a <longer> name", ""}},
                  .lines = {{.caption = "A line.", .series = {{"s", {1, 2}, {3, 4}}}}}}},
    .settings = {{"seed", "3"}}};

TEST(Outcome, TextHasAlignedTables) {
  EXPECT_EQ(as_text(made_outcome),
            "## A title\n\nAn answer.\n\n### First\n\n"
            "| method          |        ours |\n"
            "|-----------------|------------:|\n"
            "| SK              | 1.00 ± 0.10 |\n"
            "| a <longer> name |             |\n"
            "\nA sentence.\n\n- seed: 3\n");
}

TEST(Outcome, PageContainsEverything) {
  const std::string page = as_page(made_outcome);
  for (const std::string part :
       {"A title", "An answer.", "First", "A sentence.", "a &lt;longer&gt; name", "A line.", "1.00 ± 0.10", "seed"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace dsk::test
