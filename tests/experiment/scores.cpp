#include "experiment/scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
  EXPECT_EQ(scores[1].against->test, PairedComparison::Test::student) << "nothing is known of the splits";
}

TEST(Scores, OverTasksAreCorrectedForSharedTrainingParts) {
  std::vector<Evaluation> halves = tasks;
  const Split split{.train = {0, 1, 2, 3}, .test = {4, 5, 6, 7}};
  for (Evaluation& task : halves) task.splits = {split, split, split};
  const PairedComparison expected =
      compare_paired(std::vector<double>{0.7, 0.8, 0.9}, std::vector<double>{0.65, 0.7, 0.75},
                     {.test_to_train = 1, .step = 1 / (4.0 * 2)});
  const Score score = scores_over_tasks(halves)[1];
  EXPECT_EQ(score.against->test, PairedComparison::Test::corrected);
  EXPECT_NEAR(score.against->p, expected.p, 1e-12);
  EXPECT_GT(score.against->p, score.against->student_p);
  EXPECT_EQ(scores_by_task(halves)[1].against->test, PairedComparison::Test::student) << "tasks are independent";
}

TEST(Scores, ByTaskAreComparedTaskByTask) {
  const std::vector<Score> scores = scores_by_task(tasks);
  const PairedComparison by_hand = compare_paired(std::vector<double>{2.2 / 3, 2.6 / 3}, std::vector<double>{0.6, 0.8});
  EXPECT_NEAR(scores[1].against->student_p, by_hand.student_p, 1e-12);
  EXPECT_EQ(scores[1].count, 2);
}

/// MDM has to beat the better of the two rows of SK, by the means over all tasks and not those of the first.
TEST(Scores, OverTasksAreComparedWithTheMoreAccurateSK) {
  std::vector<Evaluation> both;
  for (const double knn : {0.9, 0.3}) {
    Evaluation& task = both.emplace_back(made_evaluation({knn, knn, knn}, {0.5, 0.5, 0.5}));
    for (const auto& [name, accuracy] : {std::pair{"SK:svm", 0.7}, {"MDM", 0.65}, {"majority", 0.5}}) {
      MethodResult result;
      result.method = Method::parse(name);
      result.accuracies = {accuracy, accuracy, accuracy};
      result.accuracy = summarise(result.accuracies);
      task.methods.push_back(std::move(result));
    }
  }
  const std::vector<Score> scores = scores_over_tasks(both);
  EXPECT_EQ(scores[1].baseline, "SK:knn") << "a learned kernel with k-NN";
  EXPECT_NEAR(scores[1].against->difference, -0.1, 1e-12);
  for (const std::size_t other : {3u, 4u}) EXPECT_EQ(scores[other].baseline, "SK:svm");
  EXPECT_NEAR(scores[3].against->difference, -0.05, 1e-12);
  EXPECT_FALSE(scores[2].against);
}

TEST(Scores, AreComparedAgainPairByPair) {
  const std::vector<Score> scores = scores_over_tasks(tasks);
  const auto again = compare(scores[1], scores[0]);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->p, scores[1].against->p);
  EXPECT_FALSE(compare(scores[1], {.method = Method::parse("SK:knn")})) << "no values";
  Score hits = scores[0], misses = scores[0];
  hits.hits = true;
  hits.values = {1, 1, 1, 1, 1, 1, 0};
  misses.values = {0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(compare(hits, misses)->test, PairedComparison::Test::mcnemar);
  EXPECT_NEAR(compare(hits, misses)->p, 2 * std::pow(0.5, 6), 1e-12);
}

TEST(Scores, AreAdjustedForTheirNumber) {
  std::vector<Score> scores;
  for (const double p : {0.01, 0.04, 0.03})
    scores.push_back({.method = Method::parse("LEK:knn"), .against = PairedComparison{.p = p}});
  scores.push_back({.method = Method::parse("SK:knn")});
  adjust_for_number(scores);
  // Holm: the smallest times 3, the next times 2, and never below an earlier one.
  EXPECT_NEAR(scores[0].against->holm_p, 0.03, 1e-15);
  EXPECT_NEAR(scores[2].against->holm_p, 0.06, 1e-15);
  EXPECT_NEAR(scores[1].against->holm_p, 0.06, 1e-15);
}

TEST(Scores, KnowWhereMethodsComeFrom) {
  for (const auto& [method, origin] : {std::pair{"PEK:svm", "plain"},
                                       {"DSK-KA-p-printed:knn", "as printed"},
                                       {"DSK-KA-p:knn", "guarded"},
                                       {"DSK-CA-a:knn", "ours"},
                                       {"DSK-auto:svm", "ours"},
                                       {"auto", "ours"},
                                       {"MDM", "field"},
                                       {"TS:lr", "field"},
                                       {"majority", ""}})
    EXPECT_EQ(name(origin_of(Method::parse(method))), origin) << method;
}

TEST(Scores, FindThePrintedRowsInThePaper) {
  const auto found = [](const char* method) { return find(paper::brodatz_all, Method::parse(method)); };
  ASSERT_NE(found("DSK-KA-p-printed:knn"), nullptr);
  EXPECT_EQ(found("DSK-KA-p-printed:knn")->mean, 78.12);
  EXPECT_EQ(found("DSK-RM-c-printed:svm")->mean, 82.94);
  EXPECT_EQ(found("SK:svm")->mean, 78.01);
  for (const char* const ours : {"DSK-KA-p:knn", "DSK-RM-c:svm", "DSK-auto:knn", "MDM", "auto", "majority"})
    EXPECT_EQ(found(ours), nullptr) << ours;
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

Score scored(const char* method, double accuracy, double difference, double p, Index compared) {
  return {.method = Method::parse(method),
          .accuracy = {accuracy, 0.01},
          .against = PairedComparison{.difference = difference, .p = p / 2, .holm_p = p, .student_p = p / 10},
          .count = 20,
          .compared = compared,
          .chosen = 20,
          .adjusted = 7,
          .balanced = accuracy - 0.1};
}

TEST(Scores, TableShowsThePaperAndOurResults) {
  const std::vector<Score> scores = {
      {.method = Method::parse("SK:knn"), .accuracy = {0.8, 0.01}, .count = 20, .compared = 20, .balanced = 0.7},
      scored("DSK-KA-p-printed:knn", 0.82, 0.02, 0.0002, 20),
      scored("DSK-KA-p:knn", 0.82, 0.02, 0.06, 20)};
  const auto table = beside_paper(scores, paper::brodatz_all);
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table[0],
            (std::vector<std::string>{"method", "origin", "paper, %", "ours, %", "balanced, %", "paper vs. SK",
                                      "ours vs. SK", "verdict", "p (Holm)", "p", "p, as in the paper", "adjusted"}));
  EXPECT_EQ(table[1], (std::vector<std::string>{"SK:knn", "plain", "76.80 ± 0.84", "80.00 ± 1.00", "70.00", "", "", "",
                                                "", "", "", ""}));
  EXPECT_EQ(table[2],
            (std::vector<std::string>{"DSK-KA-p-printed:knn", "as printed", "78.12 ± 0.75", "82.00 ± 1.00", "72.00",
                                      "+1.32", "+2.00", "better", "2e-04", "1e-04", "2e-05", "7 of 20"}));
  EXPECT_EQ(table[3], (std::vector<std::string>{"DSK-KA-p:knn", "guarded", "", "82.00 ± 1.00", "72.00", "", "+2.00",
                                                "-", "0.060", "0.030", "0.006", "7 of 20"}));
  for (const auto& row : beside_paper(scores, {})) EXPECT_EQ(row.size(), 10u);
}

}  // namespace
}  // namespace dsk::test
