#include "experiment/scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace dsk::test {
namespace {

using namespace dsk::experiment;

Evaluation made_evaluation(std::vector<double> plain, std::vector<double> learned) {
  Evaluation evaluation;
  for (auto& [name, accuracies] : {std::pair{"SK:knn", &plain}, std::pair{"DSK-KA-p:knn", &learned}}) {
    MethodResult result;
    result.method = Method::parse(name);
    result.accuracies = *accuracies;
    result.accuracy = summarise(*accuracies);
    evaluation.methods.push_back(std::move(result));
  }
  if (plain.size() > 1) evaluation.methods[1].against = compare_paired(learned, plain);
  return evaluation;
}

const std::vector<Evaluation> tasks = {made_evaluation({0.5, 0.6, 0.7}, {0.6, 0.7, 0.9}),
                                       made_evaluation({0.8, 0.8, 0.8}, {0.8, 0.9, 0.9})};

TEST(Scores, OverTasksAreComparedSplitBySplit) {
  const std::vector<Score> scores = scores_over_tasks(tasks);
  EXPECT_NEAR(scores[0].accuracy.mean, 0.7, 1e-15);
  EXPECT_NEAR(scores[1].accuracy.mean, 0.8, 1e-15);
  EXPECT_NEAR(scores[0].accuracy.deviation, summarise(std::vector<double>{0.6, 0.8}).deviation, 1e-15);
  EXPECT_FALSE(scores[0].against);
  const PairedComparison by_hand =
      compare_paired(std::vector<double>{0.7, 0.8, 0.9}, std::vector<double>{0.65, 0.7, 0.75});
  EXPECT_NEAR(scores[1].against->student_p, by_hand.student_p, 1e-12);
  EXPECT_EQ(scores[1].against->test, PairedTest::student) << "nothing is known of the splits";
}

TEST(Scores, OverTasksAreCorrectedForSharedTrainingParts) {
  std::vector<Evaluation> halves = tasks;
  const Split split{.train = {0, 1, 2, 3}, .test = {4, 5, 6, 7}};
  for (Evaluation& task : halves) task.splits = {split, split, split};
  const PairedComparison expected =
      compare_paired(std::vector<double>{0.7, 0.8, 0.9}, std::vector<double>{0.65, 0.7, 0.75},
                     {.test_to_train = 1, .step = 1 / (4.0 * 2)});
  const Score score = scores_over_tasks(halves)[1];
  EXPECT_EQ(score.against->test, PairedTest::corrected);
  EXPECT_NEAR(score.against->p, expected.p, 1e-12);
  EXPECT_GT(score.against->p, score.against->student_p);
  EXPECT_EQ(scores_by_task(halves)[1].against->test, PairedTest::student) << "tasks are independent";
}

TEST(Scores, ByTaskAreComparedTaskByTask) {
  const std::vector<Score> scores = scores_by_task(tasks);
  const PairedComparison by_hand = compare_paired(std::vector<double>{2.2 / 3, 2.6 / 3}, std::vector<double>{0.6, 0.8});
  EXPECT_NEAR(scores[1].against->student_p, by_hand.student_p, 1e-12);
  EXPECT_EQ(scores[1].count, 2);
}

std::vector<Score> made_scores(double difference, double p, Index compared = 20) {
  const PairedComparison against{.difference = difference, .p = p, .student_p = p / 10, .wilcoxon_p = p};
  return {{Method::parse("LEK:knn"), {0.81, 0.01}, PairedComparison{.difference = 0.01, .p = 0.5}, 20, compared},
          {Method::parse("SK:knn"), {0.80, 0.01}, {}, 20},
          {Method::parse("DSK-KA-p:knn"), {0.80 + difference, 0.01}, against, 20, compared, 20, 7},
          {Method::parse("DSK-auto:knn"), {0.80, 0.01}, PairedComparison{}, 20, compared, 20, 0}};
}

bool holds(const std::vector<std::string>& sentences, const std::string& words) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

TEST(Scores, SummariseWhatIsBetterAndWorse) {
  EXPECT_EQ(verdict(made_scores(0.02, 0.01)),
            "Of 1 learned kernels, 1 is significantly better than the plain Stein kernel and none significantly worse; "
            "DSK-KA-p:knn "
            "gains most, 2.0 points. DSK-auto: +0.0 points with k-NN (not significant).");
  EXPECT_EQ(verdict(made_scores(-0.02, 0.01)),
            "Of 1 learned kernels, none is significantly better than the plain Stein kernel and 1 significantly worse. "
            "DSK-auto: +0.0 "
            "points with k-NN (not significant).");
  EXPECT_EQ(verdict(made_scores(0.02, 0.06)),
            "Of 1 learned kernels, none is significantly better than the plain Stein kernel and none significantly "
            "worse. DSK-auto: "
            "+0.0 points with k-NN (not significant).");
  const auto better = agreement(made_scores(0.02, 0.01), paper::brodatz_all);
  EXPECT_TRUE(holds(better, "With k-NN, 1 of 1 learned kernels are above SK in the paper. Here, "));
  EXPECT_TRUE(holds(better, "significantly better than SK: DSK-KA-p (+2.0); significantly worse: none"));
  EXPECT_TRUE(
      holds(better, "The paper's gain is confirmed; the largest gain is 2.0 points here and 1.3 points in the paper."));
  EXPECT_TRUE(holds(
      better,
      "Best plain metric with k-NN: SK (76.8 %) in the paper, LEK (81.0 %) here, not significantly better than SK."));
  const auto worse = agreement(made_scores(-0.02, 0.01), paper::brodatz_all);
  EXPECT_TRUE(holds(worse, "significantly worse: DSK-KA-p (-2.0)"));
  EXPECT_TRUE(holds(worse, "The paper's gain is not confirmed."));
}

TEST(Scores, JudgeThePaperByItsMethodsOnly) {
  std::vector<Score> scores = made_scores(0, 1);
  scores[3].against = PairedComparison{.difference = 0.05, .p = 0.001};  // DSK-auto, which is not in the paper
  EXPECT_TRUE(holds(agreement(scores, paper::brodatz_all), "better than SK: none"));
  EXPECT_TRUE(holds(agreement(scores, {}), "of 2 learned kernels, significantly better than SK: DSK-auto (+5.0)"));
  for (const auto& [name, difference] : {std::pair{"DSK-KA-c:knn", 0.0}, {"DSK-CS-p:knn", 0.01}, {"DSK-CS-c:knn", 0.0}})
    scores.push_back({Method::parse(name), {0.8, 0.01}, PairedComparison{.difference = difference, .p = 0.01}, 20, 20});
  EXPECT_TRUE(holds(agreement(scores, paper::brodatz_all), "is partly confirmed; the largest gain is 1.0 points"));
  scores.back().against->difference = -0.01;
  EXPECT_TRUE(holds(agreement(scores, paper::brodatz_all), "Some learned kernels are better and some are worse"));
}

TEST(Scores, TheMajorityClassIsNoPlainMetric) {
  std::vector<Score> scores = made_scores(0, 1);
  scores.push_back({Method::parse("majority"), {0.99, 0}, PairedComparison{.difference = 0.19, .p = 1e-9}, 20, 20});
  EXPECT_TRUE(holds(agreement(scores, paper::brodatz_all), "LEK (81.0 %) here"));
}

TEST(Scores, NameTheBestPlainMetrics) {
  std::vector<Score> scores = made_scores(0, 1);
  scores[0].method = Method::parse("AIRM:knn");
  EXPECT_TRUE(
      holds(agreement(scores, paper::brain), "AIRM and SK (56.1 %) in the paper, AIRM (81.0 %) here: the same."));
  scores[0].method = Method::parse("LEK:knn");
  scores[0].against->p = 0.01;
  EXPECT_TRUE(holds(agreement(scores, paper::brain), "LEK (81.0 %) here; these differ."));
}

TEST(Scores, GiveNoVerdictOnFewSplits) {
  const std::vector<Score> scores = made_scores(0.02, 1e-9, 4);
  EXPECT_EQ(verdict(scores), "Too few splits to compare.");
  EXPECT_EQ(verdict_word(scores[2]), "too few splits");
  EXPECT_FALSE(is_better(scores[2]));
  EXPECT_TRUE(is_better(made_scores(0.02, 1e-9, 5)[2]));
}

TEST(Scores, CountAdjustedKernels) {
  Evaluation evaluation = made_evaluation({0.5, 0.6, 0.7}, {0.6, 0.7, 0.9});
  evaluation.methods[0].method = Method::parse("DSK-auto:knn");
  const double none = std::numeric_limits<double>::infinity();
  const auto add = [&](std::string method, std::string chosen, double penalty) {
    SplitResult result;
    result.method = std::move(method);
    result.chosen = std::move(chosen);
    result.penalty = penalty;
    evaluation.results.push_back(result);
  };
  for (const double penalty : {0.1, none, 0.0}) add("DSK-KA-p:knn", "DSK-KA-p:knn", penalty);
  add("DSK-auto:knn", "SK:knn", 0);
  add("DSK-auto:knn", "DSK-CA-a:knn", 0.1);
  const std::vector<Score> found = scores(evaluation);
  EXPECT_EQ(found[0].chosen, 2);
  EXPECT_EQ(found[0].adjusted, 1);
  EXPECT_EQ(found[1].chosen, 3);
  EXPECT_EQ(found[1].adjusted, 2);
  EXPECT_EQ(scores_over_tasks({evaluation, evaluation})[1].adjusted, 4);
}

TEST(Scores, TableShowsThePaperAndOurResults) {
  const auto table = beside_paper(made_scores(0.02, 0.0001), paper::brodatz_all);
  ASSERT_EQ(table.size(), 5u);
  EXPECT_EQ(table[3], (std::vector<std::string>{"DSK-KA-p:knn", "78.12 ± 0.75", "82.00 ± 1.00", "+1.32", "+2.00",
                                                "1e-04", "1e-05", "1e-04", "better", "7 of 20"}));
  EXPECT_EQ(table[4][1], "");
  EXPECT_EQ(table[2][8], "");
  for (const auto& row : beside_paper(made_scores(0.02, 0.0001), {})) EXPECT_EQ(row.size(), 8u);
}

}  // namespace
}  // namespace dsk::test
