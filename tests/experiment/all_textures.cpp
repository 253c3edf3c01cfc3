#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/made_textures.hpp"
#include "experiment/small_runs.hpp"

namespace dsk::test {
namespace {

const std::vector<std::string> with_neighbours = {"AIRM:knn",     "CHK:knn",      "EUK:knn",      "LEK:knn",
                                                  "PEK:knn",      "SK:knn",       "DSK-KA-p:knn", "DSK-KA-c:knn",
                                                  "DSK-CS-p:knn", "DSK-CS-c:knn", "DSK-auto:knn"};
const std::vector<std::string> with_margins = {"CHK:svm",      "EUK:svm",      "LEK:svm",      "PEK:svm",     "SK:svm",
                                               "DSK-RM-p:svm", "DSK-RM-c:svm", "DSK-TM-p:svm", "DSK-TM-c:svm"};

/// Two textures that differ by noise only, and two that every metric distinguishes.
class AllTextures : public SmallRuns {
 protected:
  AllTextures() {
    for (const auto& [number, contrast] : {std::pair{1, 1.0}, {2, 1.0}, {3, 0.6}, {4, 0.35}})
      write_brodatz(folder(), number, texture_of_contrast(number, contrast));
  }
};

TEST_F(AllTextures, AreClassifiedInAQuickRunWhereTheyDiffer) {
  const Outcome outcome = run_answered("brodatz-all", quick(), [](const Asked&) { return std::nullopt; });
  expect_tables(outcome);
  ASSERT_EQ(studies().size(), 1u);
  EXPECT_EQ(studies()[0].data.size(), 4 * 64);
  EXPECT_EQ(row_names(outcome.sections[0]), with_neighbours);
  for (const std::string& method : with_neighbours) {
    // Half of the 128 test matrices can only be guessed between two classes: 64 guesses have a standard deviation of 4.
    const double guessed = 128 * share_in(cell(outcome.sections[0], method, "ours, %")) - 64;
    EXPECT_NEAR(guessed, 32, 3 * 4) << method;
  }
}

TEST_F(AllTextures, UseFewerHalvesWithTheSvmInAFullRunAndSaySo) {
  RunOptions full = quick(0);
  full.quick = false;
  const Outcome outcome = run_answered("brodatz-all", full, [](const Asked& asked) {
    const bool margins = asked.study.name == "SVM";
    return (margins ? 100 : 50) + asked.split % 2 + (asked.method.starts_with("DSK-RM-p") ? 4 : 0);
  });
  ASSERT_EQ(studies().size(), 2u);
  const EvaluationOptions &neighbours = studies()[0].options, &margins = studies()[1].options;
  EXPECT_EQ(neighbours.protocol.text(), "halves:20");
  EXPECT_EQ(margins.protocol.text(), "halves:1");

  const OutcomeSection& table = outcome.sections[0];
  std::vector<std::string> all = with_neighbours;
  all.insert(all.end(), with_margins.begin(), with_margins.end());
  EXPECT_EQ(row_names(table), all);
  for (const std::string& method : with_neighbours)
    EXPECT_EQ(share_in(cell(table, method, "ours, %")), share_in(fmt::format("{:.2f}", 100 * 50.5 / 128))) << method;
  for (const std::string& method : with_margins)
    EXPECT_EQ(share_in(cell(table, method, "ours, %")),
              share_in(fmt::format("{:.2f}", (method == "DSK-RM-p:svm" ? 104 : 100) / 1.28)))
        << method;
  EXPECT_EQ(cell(table, "DSK-RM-p:svm", "paper, %"), "83.40 ± 0.58");
  EXPECT_EQ(table.table.back()[0], "majority");

  EXPECT_TRUE(table.text.back().starts_with("With the SVM, 1 of the halves only: ")) << table.text.back();
  EXPECT_NE(table.text.back().find("at most 448 matrices of each training part"), std::string::npos);
  EXPECT_NE(table.text.back().find("C among 10, 100, theta among 1, 4 over"), std::string::npos);
  EXPECT_EQ(margins.selection.learn_on, 448);
  EXPECT_EQ(margins.selection.relative_penalties.size(), 1u);
  EXPECT_EQ(margins.selection.svm_cs, (std::vector<double>{10, 100}));
  EXPECT_EQ(margins.selection.relative_thetas, (std::vector<double>{1, 4}));
  EXPECT_EQ(margins.selection.zetas, (std::vector<double>{0.5}));
  EXPECT_NE(table.text.at(table.text.size() - 2).find("at most 896 matrices of each training part"), std::string::npos);
  EXPECT_EQ(neighbours.selection.learn_on, 896);
}

}  // namespace
}  // namespace dsk::test
