#pragma once

#include <dsk/experiment.hpp>

#include <span>

#include "experiment/paper.hpp"

namespace dsk::experiment {

/// The accuracy of a method over splits or tasks, compared with the Stein kernel (SK) with the same classifier.
struct Score {
  Method method;
  Summary accuracy;
  std::optional<PairedComparison> against = {};
  Index count = 0;     ///< number of values summarised
  Index compared = 0;  ///< number of pairs of values compared
  Index chosen = 0;    ///< number of chosen kernels, one for each task and split
  Index adjusted = 0;  ///< number of these with adjusted eigenvalues
};

std::vector<Score> scores(const Evaluation& evaluation);

/// For several tasks with the same methods and splits: means over tasks are compared split by split. The deviation is
/// taken among the tasks, as in the paper.
std::vector<Score> scores_over_tasks(const std::vector<Evaluation>& tasks);

/// For several tasks that are independent trials: means over splits are compared task by task.
std::vector<Score> scores_by_task(const std::vector<Evaluation>& tasks);

/// A table with one row per method: accuracy in the paper, if it has one, and here, differences from SK, p of the test
/// that the verdict goes by, p as in the paper, and verdict.
std::vector<std::vector<std::string>> beside_paper(const std::vector<Score>& scores, paper::Table paper);

/// Sentences on where our results agree with the paper.
std::vector<std::string> agreement(const std::vector<Score>& scores, paper::Table paper);

/// The table and the sentences under a heading.
OutcomeSection method_section(const std::string& heading, const std::vector<Score>& scores, paper::Table paper);

/// The comparison of the learned kernels with SK in one sentence.
std::string verdict(const std::vector<Score>& scores);

/// Whether the method is significantly better or worse than SK. Needs at least five pairs of values.
bool is_better(const Score& score);
bool is_worse(const Score& score);
/// "better", "worse", "-" or "too few splits"; empty for SK itself.
std::string verdict_word(const Score& score);
/// Whether our accuracy is above the paper's, or the paper has none.
bool is_above(const Score& score, paper::Table paper);

std::string percent(double share);
std::string percent(const Summary& accuracy);
std::string p_value(double p);

/// Mean accuracies of a method against one quantity.
struct Curve {
  std::string name;
  std::vector<double> x, y;
};
LineChart accuracy_chart(const std::string& caption, const std::string& axis, const std::vector<Curve>& curves);

}  // namespace dsk::experiment
