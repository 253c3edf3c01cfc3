#pragma once

#include <dsk/experiment.hpp>

#include <span>

#include "experiment/paper.hpp"

namespace dsk::experiment {

/// A method's accuracy over splits, or over tasks, beside the Stein kernel's with the same classifier.
struct Score {
  Method method;
  Summary accuracy;
  std::optional<PairedComparison> against = {};
  Index count = 0;     ///< of the values that the summary is over
  Index compared = 0;  ///< pairs of values that were compared
  Index chosen = 0;    ///< kernels that were chosen, one for each task and split,
  Index adjusted = 0;  ///< and those of them whose eigenvalues are adjusted
};

std::vector<Score> scores(const Evaluation& evaluation);

/// Of several tasks with the same methods and splits: means over the tasks are compared split by split, and the
/// deviation is the one among the tasks, as the paper has it.
std::vector<Score> scores_over_tasks(const std::vector<Evaluation>& tasks);

/// Of several tasks that are as many independent trials: means over the splits are compared task by task.
std::vector<Score> scores_by_task(const std::vector<Evaluation>& tasks);

/// Method, the paper's figure if it has one, ours, differences to SK in both, p, and what that means.
std::vector<std::vector<std::string>> beside_paper(const std::vector<Score>& scores, paper::Table paper);

/// Where the paper and we agree and where not, in sentences.
std::vector<std::string> agreement(const std::vector<Score>& scores, paper::Table paper);

/// Both under a heading.
OutcomeSection method_section(const std::string& heading, const std::vector<Score>& scores, paper::Table paper);

/// How the learned kernels did against SK, in one sentence.
std::string verdict(const std::vector<Score>& scores);

/// Than SK, significantly; never from fewer than five pairs of values.
bool is_better(const Score& score);
bool is_worse(const Score& score);
/// "better", "worse", "-", "few splits", or nothing for SK itself.
std::string in_a_word(const Score& score);
/// Whether our accuracy is above the paper's, or the paper has none.
bool is_above(const Score& score, paper::Table paper);

std::string percent(double share);
std::string percent(const Summary& accuracy);
std::string p_value(double p);

/// Chart of the mean accuracies of methods against one number.
struct Curve {
  std::string name;
  std::vector<double> x, y;
};
LineChart accuracy_chart(const std::string& caption, const std::string& axis, const std::vector<Curve>& curves);

}  // namespace dsk::experiment
