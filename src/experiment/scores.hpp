#pragma once

#include <span>
#include <string_view>

#include "experiment/experiment.hpp"

/// The results printed in the paper: Zhang, Wang, Zhou & Li, "Learning Discriminative Stein Kernel for SPD Matrices and
/// Its Applications". Accuracies are in per cent.

namespace dsk::paper {

struct Accuracy {
  std::string_view method;  ///< full name, without "-printed"
  double mean = 0;
  double deviation = 0;  ///< 0 if not printed
};
using Table = std::span<const Accuracy>;

/// Table IV.
inline constexpr Accuracy brodatz_pairs[] = {
    {"AIRM:knn", 74.67, 4.48},     {"CHK:knn", 73.78, 4.68},      {"EUK:knn", 73.59, 6.31},
    {"SK:knn", 76.67, 5.30},       {"LEK:knn", 74.67, 4.17},      {"PEK:knn", 74.70, 4.16},
    {"DSK-KA-p:knn", 80.85, 4.96}, {"DSK-KA-c:knn", 78.33, 4.79}, {"DSK-CS-p:knn", 79.69, 3.74},
    {"DSK-CS-c:knn", 77.29, 4.25}, {"CHK:svm", 77.87, 5.89},      {"EUK:svm", 76.04, 5.93},
    {"SK:svm", 78.38, 6.21},       {"LEK:svm", 78.89, 4.69},      {"PEK:svm", 78.06, 5.90},
    {"DSK-RM-p:svm", 80.57, 5.95}, {"DSK-RM-c:svm", 79.16, 6.34}, {"DSK-TM-p:svm", 80.47, 6.55},
    {"DSK-TM-c:svm", 79.08, 6.93}};

/// Table V.
inline constexpr Accuracy brodatz_all[] = {
    {"AIRM:knn", 74.93, 0.61},     {"CHK:knn", 72.19, 0.55},      {"EUK:knn", 64.72, 0.78},
    {"SK:knn", 76.80, 0.84},       {"LEK:knn", 74.38, 0.62},      {"PEK:knn", 72.02, 0.65},
    {"DSK-KA-p:knn", 78.12, 0.75}, {"DSK-KA-c:knn", 77.50, 0.69}, {"DSK-CS-p:knn", 78.43, 0.59},
    {"DSK-CS-c:knn", 77.80, 0.81}, {"CHK:svm", 77.39, 0.82},      {"EUK:svm", 74.27, 1.26},
    {"SK:svm", 78.01, 0.43},       {"LEK:svm", 78.22, 1.00},      {"PEK:svm", 76.88, 0.84},
    {"DSK-RM-p:svm", 83.40, 0.58}, {"DSK-RM-c:svm", 82.94, 0.71}, {"DSK-TM-p:svm", 80.41, 0.47},
    {"DSK-TM-c:svm", 80.10, 0.53}};

/// Table VI, FERET.
inline constexpr Accuracy faces[] = {
    {"AIRM:knn", 84.45, 3.23},     {"CHK:knn", 80.43, 3.54},      {"EUK:knn", 52.14, 4.10},
    {"SK:knn", 83.37, 3.33},       {"LEK:knn", 83.02, 3.27},      {"PEK:knn", 73.07, 3.66},
    {"DSK-KA-p:knn", 84.98, 3.37}, {"DSK-KA-c:knn", 84.83, 3.38}, {"DSK-CS-p:knn", 84.03, 3.55},
    {"DSK-CS-c:knn", 83.95, 3.45}, {"CHK:svm", 78.52, 2.23},      {"EUK:svm", 68.37, 4.04},
    {"SK:svm", 79.70, 3.10},       {"LEK:svm", 78.16, 1.73},      {"PEK:svm", 75.22, 3.97},
    {"DSK-RM-p:svm", 81.80, 2.67}, {"DSK-RM-c:svm", 84.60, 1.71}, {"DSK-TM-p:svm", 80.70, 2.30},
    {"DSK-TM-c:svm", 83.20, 2.44}};

/// Table VII, ETH-80.
inline constexpr Accuracy objects[] = {
    {"AIRM:knn", 79.39, 0.78},     {"CHK:knn", 80.14, 0.47},      {"EUK:knn", 78.33, 1.19},
    {"SK:knn", 79.71, 0.82},       {"LEK:knn", 79.29, 0.75},      {"PEK:knn", 79.65, 0.65},
    {"DSK-KA-p:knn", 80.92, 0.87}, {"DSK-KA-c:knn", 80.71, 0.85}, {"DSK-CS-p:knn", 82.04, 0.91},
    {"DSK-CS-c:knn", 80.11, 0.88}, {"CHK:svm", 80.76, 1.10},      {"EUK:svm", 79.27, 1.98},
    {"SK:svm", 80.30, 0.79},       {"LEK:svm", 80.21, 1.16},      {"PEK:svm", 80.16, 1.04},
    {"DSK-RM-p:svm", 81.30, 0.81}, {"DSK-RM-c:svm", 80.67, 0.93}, {"DSK-TM-p:svm", 82.70, 1.05},
    {"DSK-TM-c:svm", 81.55, 0.84}};

/// Table VIII, ADNI.
inline constexpr Accuracy brain[] = {
    {"AIRM:knn", 56.10},     {"CHK:knn", 52.44},      {"EUK:knn", 50.00},      {"SK:knn", 56.10},
    {"LEK:knn", 54.88},      {"PEK:knn", 51.22},      {"DSK-KA-p:knn", 60.98}, {"DSK-KA-c:knn", 59.76},
    {"DSK-CS-p:knn", 60.98}, {"DSK-CS-c:knn", 62.20}, {"CHK:svm", 53.66},      {"EUK:svm", 54.88},
    {"SK:svm", 54.88},       {"LEK:svm", 53.66},      {"PEK:svm", 57.32},      {"DSK-RM-p:svm", 59.76},
    {"DSK-RM-c:svm", 54.88}, {"DSK-TM-p:svm", 59.76}, {"DSK-TM-c:svm", 53.66}};

/// One pair of textures of Table III.
struct TexturePair {
  int first = 0, second = 0;
  double stein = 0, aligned = 0;  ///< SK and DSK-KA-p
};

/// Table III, with the pairs in the order of the supplement.
inline constexpr TexturePair texture_pairs[] = {{30, 31, 62.50, 70.31}, {43, 44, 67.19, 73.44}, {23, 27, 68.75, 75.00},
                                                {28, 73, 75.00, 81.25}, {30, 91, 75.78, 76.56}, {58, 89, 75.79, 79.69},
                                                {30, 88, 76.56, 82.81}, {7, 89, 77.34, 79.69},  {31, 91, 78.13, 84.37},
                                                {31, 88, 79.69, 84.39}, {30, 90, 80.47, 84.38}, {59, 61, 81.25, 84.38},
                                                {27, 99, 82.04, 84.35}, {42, 62, 83.59, 84.42}, {31, 99, 85.94, 87.50}};

/// One data set of Table IX: the Stein kernel with an SVM on covariances with corrected eigenvalues.
struct Corrections {
  std::string_view data;
  std::string_view samples;  ///< over dimension, as printed
  double sample = 0, mestre = 0, efron_morris = 0, ben_david = 0, learned = 0;
};

/// Table IX.
inline constexpr Corrections corrections[] = {{"brodatz", "1,024 / 5", 78.01, 77.50, 78.00, 78.00, 83.40},
                                              {"faces", "98,304 / 43", 79.70, 78.10, 79.70, 79.68, 84.60},
                                              {"objects", "16,384 / 5", 80.30, 78.80, 80.30, 80.31, 82.70},
                                              {"brain", "130 / 90", 54.88, 54.88, 56.10, 56.10, 59.76}};

}  // namespace dsk::paper

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

/// The accuracy of a method over splits or tasks, compared with the Stein kernel (SK) with the same classifier; methods
/// without one, such as MDM, TS:lr and auto, with the more accurate SK.
struct Score {
  Method method;
  Summary accuracy = {};
  std::string baseline = {};  ///< full name of what it is compared with
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

/// The paired comparison of two methods of one table; none without at least two pairs of values.
std::optional<PairedComparison> compare(const Score& method, const Score& other);

inline constexpr double significance_level = 0.05;

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

/// How far balanced accuracies are from the plain ones of a table that shows these alone: a sentence.
std::string balance_sentence(const std::vector<std::vector<Score>>& table);
/// The same, added to the text of a section.
inline void add_balance(OutcomeSection& section, const std::vector<std::vector<Score>>& table) {
  section.text.push_back(balance_sentence(table));
}

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
