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

/// Every method has as many hits in each split, learned margins more, and equalised pictures more.
Index given_hits(const Asked& asked) {
  return 50 + asked.split % 2 + (asked.method.starts_with("DSK-RM-p-") ? 4 : 0) +
         (asked.study.name.ends_with("equalised") ? 20 : 0);
}

double mean_intensity_variance(const Study& study) {
  double sum = 0;
  const SpdBatch& x = study.data.matrices();
  for (Index i = 0; i < x.size(); ++i) sum += x[i](0, 0) / static_cast<double>(x.size());
  return sum;
}

TEST_F(AllTextures, HaveOneTableOfPicturesAsTheyAreAndOneOfEqualisedOnes) {
  std::vector<std::string> neighbours = with_neighbours, margins = with_margins;
  for (std::vector<std::string>* const list : {&neighbours, &margins})
    list->insert(list->end(), whole_methods.begin(), whole_methods.end());
  for (const auto& [experiment, methods] : {std::pair{"brodatz-all", neighbours}, {"brodatz-all-svm", margins}}) {
    const Outcome outcome = run_answered(experiment, whole(0), given_hits);
    expect_tables(outcome);
    ASSERT_EQ(studies().size(), 2u);
    for (const Study& study : studies()) EXPECT_EQ(study.options.protocol.text(), "halves:20");
    // Evenly spread intensities have a variance of 1/12; a tile has about that of its picture.
    EXPECT_NEAR(mean_intensity_variance(studies()[1]), 1.0 / 12, 0.01);
    EXPECT_LT(mean_intensity_variance(studies()[0]), 0.05);
    ASSERT_EQ(outcome.sections.size(), 2u);
    for (const std::size_t s : {0u, 1u}) {
      const OutcomeSection& table = outcome.sections[s];
      EXPECT_EQ(row_names(table), methods);
      for (const std::string& method : methods)
        EXPECT_NEAR(share_in(cell(table, method, "ours, %")),
                    (50.5 + (s == 0 ? 0 : 20) + (method == "DSK-RM-p-printed:svm" ? 4 : 0)) / 128, printed_share)
            << method;
      EXPECT_EQ(table.table.back()[0], "majority");
    }
  }
}

/// Rows as printed are learned from whole training parts with all penalties; ours may save time, and say so.
TEST_F(AllTextures, SaveTimeOnOurOwnKernelsOnly) {
  for (const std::string experiment : {"brodatz-all", "brodatz-all-svm"}) {
    const Outcome outcome = run_answered(experiment, whole(0), given_hits);
    const Study& study = studies()[0];
    for (const Method& method : study.options.methods) {
      const SelectionOptions selection = study.options_for(method).selection;
      const bool is_ours = method.automatic || (method.learning && !method.learning->as_printed);
      const bool shares = method.classifier == Classifier::knn && !method.automatic;
      EXPECT_EQ(selection.learn_on, is_ours && !shares ? 896 : 0) << method.full_name();
      EXPECT_EQ(selection.relative_penalties.size(), is_ours && !shares ? 2u : 5u) << method.full_name();
      EXPECT_EQ(selection.svm_cs, SelectionOptions().svm_cs) << method.full_name();
      EXPECT_EQ(selection.relative_thetas, SelectionOptions().relative_thetas) << method.full_name();
      EXPECT_EQ(selection.folds, SelectionOptions().folds) << method.full_name();
    }
    EXPECT_TRUE(outcome.sections[1].text.back().starts_with(
        "For both tables: Rows as printed are learned from whole training parts, with all penalties. To save time, "
        "guarded kernels for the SVM and DSK-auto were learned from at most 896 matrices of each training part, evenly "
        "from the classes, with a penalty of 0.01 or 0.1 of the plain criterion, or none."))
        << outcome.sections[1].text.back();
    EXPECT_EQ(experiment::as_text(outcome).find("quick run"), std::string::npos);
  }
  const Outcome margins = run_answered("brodatz-all-svm", whole(0), given_hits);
  EXPECT_EQ(cell(margins.sections[0], "DSK-RM-p-printed:svm", "paper, %"), "83.40 ± 0.58");
  EXPECT_EQ(cell(margins.sections[0], "DSK-RM-p-printed:svm", "verdict"), "better");
}

/// Quick runs have fewer textures, but all methods, and as many splits as a verdict needs.
TEST_F(AllTextures, AreFewerInQuickRuns) {
  for (int number = 5; number < 25; ++number)
    write_brodatz(folder(), number, texture_of_contrast(number, 1.0 / number));
  const Outcome outcome = run_answered("brodatz-all-svm", quick(0), given_hits);
  EXPECT_EQ(studies()[0].data.size(), experiment::quick_textures * 64);
  EXPECT_EQ(studies()[0].options.protocol.text(), "halves:5");
  EXPECT_EQ(row_names(outcome.sections[0]).size(), with_margins.size() + whole_methods.size());
  EXPECT_EQ(cell(outcome.sections[0], "DSK-RM-p-printed:svm", "verdict"), "better");
  EXPECT_EQ(outcome.sections[0].text[0],
            "This quick run uses 16 of 112 textures, and five splits where the whole experiment has more.");
}

}  // namespace
}  // namespace dsk::test
