#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiment/scores.hpp"

/// One test for each rule that the sentences below a table keep to.
namespace dsk::test {
namespace {

using namespace dsk::experiment;

struct Row {
  const char* method;
  double accuracy;   ///< of SK: 0.8
  double p = 1;      ///< corrected, and adjusted for the number of methods
  double naive = 1;  ///< as in the paper
  Index compared = 20;
};

/// With 20 values each, all equal to the accuracy but for the first two, so that tests have something to compare.
std::vector<Score> made_scores(std::vector<Row> rows) {
  rows.insert(rows.begin(), Row{"SK:knn", 0.8});
  std::vector<Score> scores;
  for (const Row& row : rows) {
    Score score{.method = Method::parse(row.method), .accuracy = {row.accuracy, 0.01}};
    score.count = score.compared = row.compared;
    score.values.assign(static_cast<std::size_t>(row.compared), row.accuracy);
    score.values[0] += 0.05;
    score.values[1] -= 0.05;
    if (row.method != std::string("SK:knn"))
      score.against =
          PairedComparison{.difference = row.accuracy - 0.8, .p = row.p, .holm_p = row.p, .student_p = row.naive};
    scores.push_back(score);
  }
  return scores;
}

bool holds(const std::vector<std::string>& sentences, const std::string& words) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

TEST(Sentences, JudgeThePaperByTheKernelsLearnedAsPrinted) {
  const auto better = agreement(made_scores({{"DSK-KA-p-printed:knn", 0.82, 0.01}}), paper::brodatz_all);
  EXPECT_TRUE(holds(better,
                    "With k-NN, 1 of 1 learned kernels are above SK in the paper. Here, learned as printed, "
                    "significantly better than SK: DSK-KA-p-printed (+2.0); significantly worse: none. The "
                    "paper's gain is confirmed; the largest gain is 2.0 points here and 1.3 points in the "
                    "paper."))
      << better[0];
  const auto worse = agreement(made_scores({{"DSK-KA-p-printed:knn", 0.78, 0.01}}), paper::brodatz_all);
  EXPECT_TRUE(holds(worse, "significantly worse: DSK-KA-p-printed (-2.0). The paper's gain is not confirmed."));
  // Ours do not count for the paper, however good they are.
  const auto ours = agreement(made_scores({{"DSK-KA-p-printed:knn", 0.8},
                                           {"DSK-KA-p:knn", 0.9, 0.001},
                                           {"DSK-auto:knn", 0.95, 0.001},
                                           {"auto", 0.99, 0.001}}),
                              paper::brodatz_all);
  EXPECT_TRUE(holds(ours, "The paper's gain is not confirmed."));
  EXPECT_FALSE(holds(ours, "gain is confirmed"));
  EXPECT_TRUE(holds(ours,
                    "Of our 2 kernels with k-NN (not in the paper), significantly better than SK: DSK-KA-p "
                    "(+10.0) and DSK-auto (+15.0); significantly worse: none."));
}

TEST(Sentences, ConfirmAGainInPartOnlyIfNothingIsWorse) {
  std::vector<Row> rows{{"DSK-KA-p-printed:knn", 0.81, 0.01},
                        {"DSK-KA-c-printed:knn", 0.8},
                        {"DSK-CS-p-printed:knn", 0.8},
                        {"DSK-CS-c-printed:knn", 0.8}};
  EXPECT_TRUE(holds(agreement(made_scores(rows), paper::brodatz_all), "is partly confirmed; the largest gain is 1.0"));
  rows[3] = {"DSK-CS-c-printed:knn", 0.79, 0.01};
  EXPECT_TRUE(holds(agreement(made_scores(rows), paper::brodatz_all),
                    "Some learned kernels are better and some are worse: the paper's gain is not confirmed."));
}

TEST(Sentences, GoByTheCorrectedTest) {
  const std::vector<Score> scores = made_scores({{"DSK-KA-p-printed:knn", 0.82, 0.06, 1e-9}});
  EXPECT_EQ(verdict_word(scores[1]), "-");
  EXPECT_TRUE(holds(agreement(scores, paper::brodatz_all), "significantly better than SK: none"));
}

TEST(Sentences, GiveNoVerdictOnFewerThanFiveSplits) {
  const std::vector<Row> rows{{"LEK:knn", 0.85, 1e-9, 1e-9, 4}, {"DSK-KA-p-printed:knn", 0.82, 1e-9, 1e-9, 4}};
  std::vector<Score> few = made_scores(rows);
  few[0].compared = 4;
  EXPECT_EQ(verdict(few), "Too few splits to compare.");
  EXPECT_TRUE(agreement(few, paper::brodatz_all).empty())
      << "neither of learned kernels nor of the plain metrics' order";
  EXPECT_EQ(highest_accuracies(few), "");
  EXPECT_EQ(verdict_word(few[2]), "too few splits");
  EXPECT_FALSE(is_better(few[2]));
  for (Score& score : few) score.compared = 5;
  EXPECT_TRUE(is_better(few[2]));
  EXPECT_EQ(agreement(few, paper::brodatz_all).size(), 2u);
}

TEST(Sentences, NameTiesTogether) {
  const std::vector<Score> tied = made_scores({{"AIRM:knn", 0.8}, {"LEK:knn", 0.79}, {"TS:lr", 0.8}});
  EXPECT_TRUE(
      holds(agreement(tied, paper::brain),
            "Best plain metric with k-NN: SK and AIRM (56.1 %) in the paper, SK and AIRM (80.0 %) here: the same."));
  EXPECT_EQ(highest_accuracies(tied), "without learning a kernel, SK:knn, AIRM:knn and TS:lr (80.0 %)");
}

TEST(Sentences, CallPlainMetricsDifferentOnlyByATest) {
  std::vector<Score> scores = made_scores({{"LEK:knn", 0.801}});
  scores[1].values[2] += 0.05;
  scores[1].values[3] -= 0.05;
  EXPECT_TRUE(
      holds(agreement(scores, paper::brodatz_all), "LEK (80.1 %) here, not significantly better than SK (p = "));
  scores[1].values.assign(20, 0.9);
  scores[1].values[0] = 0.91;
  EXPECT_TRUE(holds(agreement(scores, paper::brodatz_all), "LEK (80.1 %) here; these differ (p = "));
}

/// One of six metrics is the best by chance more often than one of two.
TEST(Sentences, AdjustForTheChoiceAmongPlainMetrics) {
  const auto apart = [](Score& score, double difference) {
    for (std::size_t s = 0; s < score.values.size(); ++s)
      score.values[s] = score.accuracy.mean + (s % 2 == 0 ? 0.04 : -0.04) + difference;
  };
  std::vector<Score> two = made_scores({{"LEK:knn", 0.81}});
  apart(two[0], 0);
  for (std::size_t s = 0; s < 20; ++s) two[1].values[s] = 0.81 + (s % 3 == 0 ? 0.05 : -0.015);
  std::vector<Score> six =
      made_scores({{"LEK:knn", 0.81}, {"AIRM:knn", 0.8}, {"CHK:knn", 0.8}, {"EUK:knn", 0.8}, {"PEK:knn", 0.8}});
  six[0].values = two[0].values;
  six[1].values = two[1].values;
  for (std::size_t m = 2; m < 6; ++m) {
    apart(six[m], 0);
    six[m].values[0] += 1e-3 * static_cast<double>(m);
  }
  const double p = compare(two[1], two[0])->p;
  ASSERT_LT(p, 1);
  EXPECT_TRUE(holds(agreement(two, paper::brodatz_all), fmt::format("better than SK (p = {}).", p_value(p))));
  EXPECT_TRUE(
      holds(agreement(six, paper::brodatz_all),
            fmt::format("better than SK (p = {}, adjusted for the choice among 6).", p_value(std::min(1.0, 5 * p)))));
  // Clear enough for one comparison, not for the largest of five.
  for (std::size_t s = 0; s < 20; ++s) six[1].values[s] = six[0].values[s] + (s < 5 ? 0.01 : s == 5 ? -0.002 : 0);
  const double single = compare(six[1], six[0])->p;
  ASSERT_LT(single, 0.05);
  ASSERT_GT(5 * single, 0.05);
  EXPECT_TRUE(holds(agreement(six, paper::brodatz_all), "not significantly better than SK (p = "));
}

/// Neither MDM, TS:lr nor auto has a classifier of SK's: they have to beat the better of its two rows.
TEST(Sentences, CompareOtherMethodsWithTheMoreAccurateRowOfSK) {
  std::vector<Score> scores = made_scores({{"SK:svm", 0.9}, {"MDM", 0.85}, {"auto", 0.95}, {"majority", 0.5}});
  for (std::size_t m = 2; m < scores.size(); ++m) scores[m].baseline = "SK:svm";
  const std::string rule =
      "MDM, auto and the majority class are compared with SK:svm, the more accurate of SK:knn and SK:svm.";
  EXPECT_TRUE(holds(method_section("", scores, {}).text, rule));
  scores.erase(scores.begin() + 1);
  for (std::size_t m = 1; m < scores.size(); ++m) scores[m].baseline = "SK:knn";
  EXPECT_TRUE(holds(method_section("", scores, {}).text, "MDM, auto and the majority class are compared with SK:knn."));
}

TEST(Sentences, NameTheTestInGoodEnglish) {
  std::vector<Score> scores = made_scores({{"LEK:knn", 0.9}});
  const auto named = [&](PairedComparison::Test test) {
    scores[1].against->test = test;
    return method_section("", scores, {}).text;
  };
  EXPECT_TRUE(holds(named(PairedComparison::Test::mcnemar), "p is from McNemar's exact test; the verdicts"));
  EXPECT_TRUE(holds(named(PairedComparison::Test::corrected), "p is from the corrected resampled t-test; the"));
}

TEST(Sentences, NeverNameAGainWithoutTheBestMethodThatLearnsNothing) {
  const std::string text = verdict(made_scores({{"PEK:knn", 0.98, 0.01},
                                                {"DSK-KA-p-printed:knn", 0.95, 0.01},
                                                {"DSK-KA-c-printed:knn", 0.7, 0.01},
                                                {"DSK-KA-p:knn", 0.96, 0.01},
                                                {"MDM", 0.99, 0.01},
                                                {"auto", 0.97, 0.01},
                                                {"majority", 0.995, 0.01}}));
  EXPECT_EQ(text,
            "As printed, of 2 learned kernels 1 is significantly better than the plain Stein kernel with the same "
            "classifier and 1 is significantly worse. With a guard against harm, of 1 learned kernels 1 is "
            "significantly better than the plain Stein kernel with the same classifier and none is significantly "
            "worse. Highest accuracies: without learning a kernel, MDM (99.0 %); as printed, DSK-KA-p-printed:knn "
            "(95.0 %); guarded, DSK-KA-p:knn (96.0 %); ours, auto (97.0 %).");
}

TEST(Sentences, TellWhereThePlainKernelIsTheMajorityClass) {
  std::vector<Score> scores =
      made_scores({{"SK:svm", 0.535}, {"LEK:svm", 0.71}, {"EUK:svm", 0.6}, {"majority", 0.535}});
  EXPECT_TRUE(one_class_sentences(scores).empty()) << "equal accuracies are not enough";
  scores[1].answers_one_class = true;
  const auto text = one_class_sentences(scores);
  ASSERT_EQ(text.size(), 1u);
  EXPECT_EQ(
      text[0],
      "SK:svm answers with one class whatever it is shown: its 53.50 % are those of the majority class. What is "
      "gained over it with the SVM is gained over the majority class; of the plain metrics, LEK:svm has 71.00 %.");
  scores[3].accuracy.mean = 0.71;
  EXPECT_TRUE(one_class_sentences(scores)[0].ends_with("of the plain metrics, LEK:svm and EUK:svm have 71.00 %."));
  scores[4].accuracy.mean = 0.6;
  EXPECT_NE(one_class_sentences(scores)[0].find("the share of that class"), std::string::npos);
  EXPECT_EQ(method_section("", scores, {}).text[0], one_class_sentences(scores)[0]);
}

TEST(Sentences, TellWhereAChoiceWasInformedByTheData) {
  EXPECT_EQ(informed_choice(true, false),
            "The choice of DSK-auto's ingredients was informed by results on SSVEP, ETH-80 and FNC. Its score here is "
            "therefore no independent test of that choice.");
  EXPECT_NE(informed_choice(true, true).find("Their scores here are"), std::string::npos);
}

}  // namespace
}  // namespace dsk::test
