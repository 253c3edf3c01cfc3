#include "experiment/scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
}

TEST(Scores, ByTaskAreComparedTaskByTask) {
  const std::vector<Score> scores = scores_by_task(tasks);
  const PairedComparison by_hand = compare_paired(std::vector<double>{2.2 / 3, 2.6 / 3}, std::vector<double>{0.6, 0.8});
  EXPECT_NEAR(scores[1].against->student_p, by_hand.student_p, 1e-12);
  EXPECT_EQ(scores[1].count, 2);
}

std::vector<Score> made_scores(double difference, double p) {
  const PairedComparison against{.difference = difference, .student_p = p, .wilcoxon_p = p};
  return {{Method::parse("LEK:knn"), {0.81, 0.01}, PairedComparison{.difference = 0.01, .student_p = 0.5}, 20},
          {Method::parse("SK:knn"), {0.80, 0.01}, {}, 20},
          {Method::parse("DSK-KA-p:knn"), {0.80 + difference, 0.01}, against, 20},
          {Method::parse("DSK-auto:knn"), {0.80, 0.01}, PairedComparison{}, 20}};
}

bool holds(const std::vector<std::string>& sentences, const std::string& words) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

TEST(Scores, SayWhatHelpsAndWhatHarms) {
  EXPECT_EQ(verdict(made_scores(0.02, 0.01)),
            "Of 2 learned kernels 1 is significantly better than the plain Stein kernel and none worse; DSK-KA-p:knn "
            "gains most, 2.0 points.");
  EXPECT_EQ(verdict(made_scores(-0.02, 0.01)),
            "Of 2 learned kernels none is significantly better than the plain Stein kernel and 1 worse.");
  EXPECT_EQ(verdict(made_scores(0.02, 0.06)),
            "Of 2 learned kernels none is significantly better than the plain Stein kernel and none worse.");
  const auto better = agreement(made_scores(0.02, 0.01), paper::brodatz_all());
  EXPECT_TRUE(holds(better, "the paper has 1 of 1 learned kernels above SK"));
  EXPECT_TRUE(holds(better, "significantly better than SK: DSK-KA-p (+2.0); significantly worse: none"));
  EXPECT_TRUE(holds(better, "That learning helps is confirmed; the largest gain is 2.0 points here, 1.3 in print."));
  EXPECT_TRUE(
      holds(better, "the paper has SK first (76.8 %), we have LEK (81.0 %), which is not significantly above SK."));
  const auto worse = agreement(made_scores(-0.02, 0.01), paper::brodatz_all());
  EXPECT_TRUE(holds(worse, "significantly worse: DSK-KA-p (-2.0)"));
  EXPECT_TRUE(holds(worse, "The paper's gain is not confirmed."));
}

TEST(Scores, TableStandsBesideThePaper) {
  const auto table = beside_paper(made_scores(0.02, 0.0001), paper::brodatz_all());
  ASSERT_EQ(table.size(), 5u);
  EXPECT_EQ(table[3], (std::vector<std::string>{"DSK-KA-p:knn", "78.12 ± 0.75", "82.00 ± 1.00", "+1.32", "+2.00",
                                                "1e-04", "1e-04", "better"}));
  EXPECT_EQ(table[4][1], "");
  EXPECT_EQ(table[2][7], "");
  for (const auto& row : beside_paper(made_scores(0.02, 0.0001), {})) EXPECT_EQ(row.size(), 6u);
}

}  // namespace
}  // namespace dsk::test
