#pragma once

#include "experiment/paper.hpp"
#include "experiment/runs.hpp"

namespace dsk::experiment {

/// Where a method comes from.
enum class Origin {
  plain,    ///< a metric of the paper's Table I
  printed,  ///< a kernel learned exactly as the paper prints it
  guarded,  ///< the same criterion and adjustment, used only where it helps in cross-validation
  ours,     ///< learned otherwise, or chosen among many methods
  field,    ///< in common use: class means, tangent space
  majority  ///< always the most frequent class
};
Origin origin_of(const Method& method);
/// "plain", "as printed", "guarded", "ours", "field" or "".
std::string_view name(Origin origin);

/// The accuracy of a method over splits or tasks, compared with the Stein kernel (SK) with the same classifier.
struct Score {
  Method method;
  Summary accuracy = {};
  std::optional<PairedComparison> against = {};
  Index count = 0;      ///< number of values summarised
  Index compared = 0;   ///< number of pairs of values compared
  Index chosen = 0;     ///< number of chosen kernels, one for each task and split
  Index adjusted = 0;   ///< number of these with adjusted eigenvalues
  double balanced = 0;  ///< mean over the classes of the share that was correct
  bool answers_one_class = false;
  std::vector<double> values = {};  ///< that are compared, pair by pair
  Resampling splits = {};           ///< what they come from
  bool hits = false;                ///< they are 1 for correct and 0 for wrong predictions
};

std::vector<Score> scores(const Evaluation& evaluation);

/// For several tasks with the same methods and splits: means over tasks are compared split by split. The deviation is
/// taken among the tasks, as in the paper.
std::vector<Score> scores_over_tasks(const std::vector<Evaluation>& tasks);

/// For several tasks that are independent trials: means over splits are compared task by task.
std::vector<Score> scores_by_task(const std::vector<Evaluation>& tasks);

/// Adjusts the p-values for the number of comparisons in the table by Holm's method.
void adjust_for_number(std::vector<Score>& scores);

/// The rows of several tables in one: methods that are named with a metric or a kernel first, the majority class last
/// and once. The p-values are adjusted for all of them.
std::vector<Score> joined(const std::vector<std::vector<Score>>& tables);

/// The paired comparison of two methods of one table; none without at least two pairs of values.
std::optional<PairedComparison> compare(const Score& method, const Score& other);

/// Whether there are enough pairs of values, five, for a verdict.
bool has_verdict(const Score& score);
/// Whether the method is significantly better or worse than SK: by the test for splits that share data, adjusted for
/// the number of methods in the table.
bool is_better(const Score& score);
bool is_worse(const Score& score);
/// "better", "worse", "-" or "too few splits"; empty for SK itself.
std::string verdict_word(const Score& score);

/// The row of the paper's table: of kernels learned as printed, and of plain metrics. Null for any other method.
const paper::Accuracy* find(paper::Table paper, const Method& method);
/// SK with the same classifier.
const paper::Accuracy* paper_baseline(paper::Table paper, const Method& method);

/// A table with one row per method: where it comes from, accuracy in the paper, if it has one, and here, balanced
/// accuracy, differences from SK, p of the test that the verdict goes by, p as in the paper, and verdict.
std::vector<std::vector<std::string>> beside_paper(const std::vector<Score>& scores, paper::Table paper);

/// Sentences on where our results agree with the paper: of the kernels learned as printed, of ours, and on the order of
/// the plain metrics; no verdict on fewer than five splits.
std::vector<std::string> agreement(const std::vector<Score>& scores, paper::Table paper);

/// A sentence for each plain Stein kernel that answers with one class whatever it is shown.
std::vector<std::string> one_class_sentences(const std::vector<Score>& scores);

/// The table and the sentences under a heading.
OutcomeSection method_section(const std::string& heading, const std::vector<Score>& scores, paper::Table paper);

/// The comparison of the learned kernels with SK, and the best methods of each origin.
std::string verdict(const std::vector<Score>& scores);

/// The methods with the highest accuracy of each origin, ties together: "without learning a kernel, LEK:svm (81.0 %)".
/// Empty without enough splits.
std::string highest_accuracies(const std::vector<Score>& scores);

/// That the choice of what DSK-auto (`paper_family`) or auto (`all_families`) try was informed by the data of a table.
std::string informed_choice(bool paper_family, bool all_families);

/// "A, B and C"; "none" for nothing.
std::string listed(const std::vector<std::string>& names);
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
