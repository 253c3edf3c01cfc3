#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/made_textures.hpp"
#include "experiment/small_runs.hpp"

namespace dsk::test {
namespace {

const std::vector<std::string> with_neighbours = {"AIRM:knn",
                                                  "CHK:knn",
                                                  "EUK:knn",
                                                  "LEK:knn",
                                                  "PEK:knn",
                                                  "SK:knn",
                                                  "DSK-KA-p-printed:knn",
                                                  "DSK-KA-c-printed:knn",
                                                  "DSK-CS-p-printed:knn",
                                                  "DSK-CS-c-printed:knn",
                                                  "DSK-KA-p:knn",
                                                  "DSK-KA-c:knn",
                                                  "DSK-CS-p:knn",
                                                  "DSK-CS-c:knn",
                                                  "DSK-auto:knn"};
const std::vector<std::string> with_margins = {"CHK:svm",
                                               "EUK:svm",
                                               "LEK:svm",
                                               "PEK:svm",
                                               "SK:svm",
                                               "DSK-RM-p-printed:svm",
                                               "DSK-RM-c-printed:svm",
                                               "DSK-TM-p-printed:svm",
                                               "DSK-TM-c-printed:svm",
                                               "DSK-RM-p:svm",
                                               "DSK-RM-c:svm",
                                               "DSK-TM-p:svm",
                                               "DSK-TM-c:svm",
                                               "DSK-auto:svm"};
const std::vector<std::string> whole_methods = {"MDM", "TS:lr", "auto"};

/// Two textures that differ by noise only, and two that every metric distinguishes.
class AllTextures : public SmallRuns {
 protected:
  AllTextures() {
    for (const auto& [number, contrast] : {std::pair{1, 1.0}, {2, 1.0}, {3, 0.6}, {4, 0.35}})
      write_brodatz(folder(), number, texture_of_contrast(number, contrast));
  }
};

TEST_F(AllTextures, AreClassifiedInAQuickRunWhereTheyDiffer) {
  const Outcome outcome = run_answered("brodatz-all", quick(), [](const Asked& asked) -> std::optional<Index> {
    if (asked.method == "auto" || asked.study.name == "k-NN, equalised") return asked.tested / 2;
    return {};
  });
  expect_tables(outcome);
  ASSERT_EQ(studies().size(), 2u);
  EXPECT_EQ(studies()[0].data.size(), 4 * 64);
  std::vector<std::string> rows = with_neighbours;
  rows.insert(rows.end(), whole_methods.begin(), whole_methods.end());
  EXPECT_EQ(row_names(outcome.sections[0]), rows);
  for (const std::string& method : with_neighbours) {
    // Half of the 128 test matrices can only be guessed between two classes: 64 guesses have a standard deviation of 4.
    const double guessed = 128 * share_in(cell(outcome.sections[0], method, "ours, %")) - 64;
    EXPECT_NEAR(guessed, 32, 3 * 4) << method;
  }
}

TEST_F(AllTextures, HaveOneTableOfPicturesAsTheyAreAndOneOfEqualisedOnes) {
  RunOptions full = quick(0);
  full.quick = false;
  const Outcome outcome = run_answered("brodatz-all", full, [](const Asked& asked) {
    const bool margins = asked.study.name.starts_with("SVM"), equalised = asked.study.name.ends_with("equalised");
    return (margins ? 100 : 50) + asked.split % 2 + (asked.method.starts_with("DSK-RM-p-") ? 4 : 0) +
           (equalised ? 20 : 0);
  });
  ASSERT_EQ(studies().size(), 4u);
  const EvaluationOptions &neighbours = studies()[0].options, &margins = studies()[1].options;
  EXPECT_EQ(neighbours.protocol.text(), "halves:20");
  EXPECT_EQ(margins.protocol.text(), "halves:20");
  const auto intensities = [&](std::size_t study) {
    double sum = 0;
    const SpdBatch& x = studies()[study].data.matrices();
    for (Index i = 0; i < x.size(); ++i) sum += x[i](0, 0) / static_cast<double>(x.size());
    return sum;
  };
  // Evenly spread intensities have a variance of 1/12; a tile has about that of its picture.
  EXPECT_NEAR(intensities(2), 1.0 / 12, 0.01);
  EXPECT_LT(intensities(0), 0.05);

  std::vector<std::string> all = with_neighbours;
  all.insert(all.end(), with_margins.begin(), with_margins.end());
  all.insert(all.end(), whole_methods.begin(), whole_methods.end());
  ASSERT_EQ(outcome.sections.size(), 2u);
  for (const std::size_t s : {0u, 1u}) {
    const OutcomeSection& table = outcome.sections[s];
    const double more = s == 0 ? 0 : 20;
    EXPECT_EQ(row_names(table), all);
    for (const std::string& method : with_neighbours)
      EXPECT_NEAR(share_in(cell(table, method, "ours, %")), (50.5 + more) / 128, printed_share) << method;
    for (const std::string& method : with_margins)
      EXPECT_NEAR(share_in(cell(table, method, "ours, %")),
                  ((method == "DSK-RM-p-printed:svm" ? 104.5 : 100.5) + more) / 128, printed_share)
          << method;
    EXPECT_EQ(cell(table, "DSK-RM-p-printed:svm", "paper, %"), "83.40 ± 0.58");
    EXPECT_EQ(cell(table, "DSK-RM-p-printed:svm", "verdict"), "better");
    EXPECT_EQ(table.table.back()[0], "majority");
  }
  const std::vector<std::string>& text = outcome.sections[1].text;
  EXPECT_NE(text.back().find("at most 448 matrices of each training part"), std::string::npos);
  EXPECT_NE(text.back().find("C among 10, 100, theta among 1, 4 over"), std::string::npos);
  EXPECT_NE(text.at(text.size() - 2).find("at most 896 matrices of each training part"), std::string::npos);
  EXPECT_EQ(margins.selection.learn_on, 448);
  EXPECT_EQ(neighbours.selection.learn_on, 896);
}

}  // namespace
}  // namespace dsk::test
