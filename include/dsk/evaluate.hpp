#pragma once

#include <dsk/matrices.hpp>
#include <dsk/method.hpp>
#include <dsk/train.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// Stratified cross-validation: every class is dealt out evenly among the folds, at random by the seed. Members of a
/// class of one are always trained on. No more folds than the largest class has members; at least 2.
/// Throws InvalidInput if `folds` is below 2 or no class has two members.
std::vector<Split> stratified_folds(const Labels& labels, Index folds, std::uint64_t seed);

/// The same for a data set; where it has groups, each is in one fold as a whole, and classes are dealt out as evenly as
/// that allows. Throws InvalidInput for fewer than two groups.
std::vector<Split> stratified_folds(const Dataset& data, Index folds, std::uint64_t seed);

/// How a data set is parted into what is learned from and what is scored.
struct Protocol {
  enum class Kind {
    halves,  ///< `count` random stratified halves: one is learned from, the other scored
    kfold,   ///< `count` folds, each scored once
    loo,     ///< every matrix scored once, learned from all others
    logo,    ///< every group scored once, learned from all others
    given    ///< as `parts` says
  };
  Kind kind = Kind::halves;
  Index count = 20;
  std::vector<int> parts = {};  ///< of a given split: for each matrix the split that scores it, -1 for none

  /// Reads "halves:20", "kfold:5", "loo" or "logo"; throws InvalidInput.
  static Protocol parse(std::string_view text);
  /// One split from the names "train" and "test", or one for every number from 0 on, -1 meaning that a matrix is only
  /// learned from. Throws InvalidInput for anything else.
  static Protocol given(const Labels& parts);
  std::string text() const;
};

inline Protocol random_halves(Index count) {
  return {.kind = Protocol::Kind::halves, .count = count};
}
inline Protocol k_folds(Index count) {
  return {.kind = Protocol::Kind::kfold, .count = count};
}
inline Protocol leave_one_out() {
  return {.kind = Protocol::Kind::loo};
}
inline Protocol leave_one_group_out() {
  return {.kind = Protocol::Kind::logo};
}

/// The splits of a protocol, the same for the same seed on every machine. Where the data set has groups no group is in
/// both parts of a split, and `loo` leaves out a group at a time. Throws InvalidInput where the data set is too small
/// or a given split does not fit it.
std::vector<Split> make_splits(const Dataset& data, const Protocol& protocol, std::uint64_t seed);

struct Summary {
  double mean = 0;
  double deviation = 0;  ///< sample standard deviation; 0 for a single value
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// A method's results against a baseline's, pair by pair.
struct PairedComparison {
  /// How a difference between two methods is tested.
  enum class Test {
    student,    ///< Student's t over pairs that are independent, such as left-out groups
    corrected,  ///< Student's t over splits that share training data, with the variance of Nadeau & Bengio
    mcnemar     ///< McNemar's exact test over matrices that are scored once each
  };

  Test test = Test::student;
  double difference = 0;  ///< mean of method less baseline
  double low = 0;         ///< 95 % interval of the mean difference
  double high = 0;
  double p = 1;           ///< two-sided, by `test`
  double holm_p = 1;      ///< the same, adjusted for all comparisons of a table by Holm's method
  double student_p = 1;   ///< two-sided, as if the pairs were independent, as in the paper; 1 if all differences are 0
  double wilcoxon_p = 1;  ///< two-sided signed-rank test, zeros left out; exact up to 50 others; the same assumption
};
/// "paired t-test", "corrected resampled t-test" or "McNemar's exact test".
std::string_view name(PairedComparison::Test test);

/// What one method did on one split.
struct SplitResult {
  std::string method;          ///< full name
  Index split = 0;             ///< counted from 0
  std::vector<int> predicted;  ///< codes for the split's test part, in its order
  double accuracy = 0;         ///< share of them that is correct
  double theta = 0;
  double neighbours_or_c = 0;  ///< neighbours of k-NN, or C of the SVM
  double penalty = 0;
  double validation_accuracy = 0;
  std::string chosen;  ///< full name of what DSK-auto became, otherwise the method's
  double seconds = 0;
  /// Of a k-NN method, where asked for: the classes that other numbers of neighbours predict, with the other settings
  /// chosen for that number.
  std::map<Index, std::vector<int>> by_neighbours = {};
  /// Of a method that chose among candidates: the best setting of each kind, what was chosen first; at most ten.
  std::vector<CandidateScore> candidates = {};
  std::vector<CandidateScore> by_components = {};  ///< the best candidate of each size of subspace, smallest size first
  std::vector<CombinedKernel::Share> kernels = {};  ///< of a method that combines kernels
  std::vector<std::string> warnings = {};           ///< about what was trained, a sentence each
};

struct EvaluationOptions {
  /// What an evaluation is about to do.
  struct Plan {
    Index splits = 0;
    Index methods = 0;
    Index kernels = 0;   ///< to learn, if no result is known
    Index finished = 0;  ///< results, each of a method on a split, that are known already
  };

  /// How far an evaluation is.
  struct Progress {
    Index done = 0;  ///< results, each of a method on a split, with those that were known already
    Index all = 0;
    /// Of the work, by the time that results took: those of one method take about equally long. 0 while there are
    /// methods of which nothing is known.
    double share = 0;
  };

  Methods methods;
  Protocol protocol = {};
  std::uint64_t seed = 0;
  SelectionOptions selection = {};
  std::optional<Index> first_splits = {};    ///< only this many of the protocol's splits
  std::vector<Index> other_neighbours = {};  ///< to predict with as well, by methods with k-NN
  int threads = 0;                           ///< splits are shared among them; the results are the same for any number
  /// Where results are saved while they come, as JSON; an existing file is resumed. It must belong to the same data and
  /// settings; results of methods that are not asked for now are kept. With a team, rank 0 reads and writes it.
  std::filesystem::path results_file = {};
  std::string repair = "none";  ///< how the matrices were repaired: one of the settings of the results file
  bool keep_kernel = true;      ///< keep the first adjusted kernel, the first subspace and their pictures
  /// Results of an earlier run with the same data and options: these are not computed again.
  std::vector<SplitResult> finished = {};
  /// Called once, after all checks and before the first result.
  std::function<void(const Plan&)> on_start = {};
  /// Called after each new result, by one thread at a time; false stops with Cancelled.
  std::function<bool(const SplitResult&)> on_result = {};
  std::function<bool(const Progress&)> on_progress = {};  ///< the same, called after it
};

/// A method over all splits.
struct MethodResult {
  Method method;
  std::vector<double> accuracies;  ///< per split; a single one over all matrices where each is left out by itself
  /// Mean over the classes of the share that was correct, for each split that scores all of the classes that are scored
  /// at all.
  std::vector<double> balanced_accuracies;
  Summary accuracy;
  Summary balanced_accuracy;  ///< the mean is that of the confusion matrix, the deviation that of the splits
  std::optional<Interval> interval = {};  ///< 95 % of the accuracy; none for a single split
  Matrix confusion;                       ///< rows: classes, columns: predicted
  /// Whether it answers with one class whatever it is shown: always the same, or one on each split.
  bool answers_one_class = false;
  /// The method it is compared with: SK with the same classifier, or the SK of highest accuracy, or the first method.
  std::size_t baseline = 0;
  std::optional<PairedComparison> against = {};  ///< for others than the baseline, from two scores on
  double seconds = 0;
};

/// Every method on every split, with the scores and comparisons that are made of that.
struct Evaluation {
  /// The method with the highest accuracy, and what it is ahead of. The p-values are adjusted for comparisons with all
  /// other methods.
  struct Ranking {
    std::size_t best = 0;                       ///< any but the majority class, if there is one
    std::optional<std::size_t> runner_up = {};  ///< the next of these
    std::size_t majority = 0;
    std::optional<PairedComparison> over_runner_up = {};  ///< from two scores on
    std::optional<PairedComparison> over_majority = {};
  };

  /// A kernel that was evaluated, and the test matrices of its split as it and the plain kernel see them: sorted by
  /// class, and thinned out to at most 400.
  struct Kernel {
    std::string method;    ///< full name of what was chosen
    Index split = 0;       ///< counted from 0
    LearnedKernel kernel;  ///< with the theta that the classifier used
    double penalty = 0;
    Fit fit = {};
    std::vector<int> shown = {};  ///< classes of the matrices below; empty where there are fewer than three
    Matrix plain_values = {};     ///< kernel values of the plain Stein kernel with the same theta
    Matrix learned_values = {};
    Matrix plain_components = {};  ///< the first two principal components
    Matrix learned_components = {};
  };

  /// A subspace that was evaluated, and the test matrices of its split before and after the projection: sorted by
  /// class, and thinned out to at most 400.
  struct Subspace {
    std::string method;                ///< full name
    std::string chosen;                ///< the candidate that projects
    Index split = 0;                   ///< counted from 0
    std::vector<Index> sizes;          ///< components of all subspaces of the classifier, descending
    Projection projection;             ///< the only one or, of several, the largest with at most 12 components
    Matrix patterns;                   ///< (d, m): C W (W' C W)^-1, where C is the mean matrix of the training part
    std::vector<int> shown = {};       ///< classes of the matrices below; empty where there are fewer than three
    Matrix whole_components = {};      ///< the first two principal components of the kernel of whole matrices
    Matrix projected_components = {};  ///< and of projected ones
  };

  struct Setting {
    std::string name, value;
  };

  std::vector<Split> splits;
  std::vector<SplitResult> results;  ///< by split, then method; of the methods asked for
  /// In the order asked for, and last the majority class unless it was asked for.
  std::vector<MethodResult> methods;
  Ranking ranking = {};
  Index samples = 0;
  Index dim = 0;
  Index groups = 0;                        ///< 0 for data without groups
  std::vector<std::string> channels = {};  ///< names of the rows of the matrices, if they have some
  std::vector<std::string> class_names = {};
  std::vector<int> classes = {};  ///< of all matrices, as positions in class_names
  Protocol protocol = {};
  std::string settings = {};                 ///< what the results depend on, as JSON
  std::vector<std::string> not_scored = {};  ///< names of classes that are in no test part
  std::vector<std::string> warnings = {};    ///< about the data and the results, a sentence each
  std::optional<Kernel> kernel = {};         ///< of the first result whose kernel was adjusted, where kept
  std::optional<Subspace> subspace = {};     ///< of the first result with a projection, where kept
};

/// Every method on every split; settings not given are chosen inside the split's training part.
/// The ranks of a team (in `selection.pairs`) share the splits; all get the result, rank 0's `on_result` is called.
/// Throws InvalidInput for no methods or one named twice, data without labels or of one class, a training part that a
/// method cannot learn from, or a results file of something else; ClassesInOneGroup where groups leave nothing to
/// evaluate.
Evaluation evaluate(const Dataset& data, const EvaluationOptions& options);

/// What a classifier that is not one of the library's predicted.
struct OutsidePredictions {
  std::string name;
  std::vector<std::vector<int>> predicted;  ///< for each split, codes for its test part, in its order
  std::vector<double> seconds;              ///< that each split took
};

/// The evaluation of these data with other classifiers beside its methods, compared by the same tests. `order` names
/// those of its methods to keep, and all others. Throws InvalidInput for predictions that do not fit the splits, and
/// for a name that is unknown or occurs twice.
Evaluation with_predictions(Evaluation evaluation, const Dataset& data, const std::vector<std::string>& order,
                            const std::vector<OutsidePredictions>& others);

/// Writes the evaluation as JSON, atomically: a results file, from which `evaluate` resumes and which `load_evaluation`
/// reads. Throws InvalidInput, with the file name and the reason, if it cannot be written.
void save(const Evaluation& evaluation, const std::filesystem::path& file);

/// Reads the finished results of a results file and scores them again; the data must be those that were evaluated. The
/// first learned kernel and subspace are not restored. Throws InvalidInput, with the file name, for other data, a file
/// that holds no complete evaluation, and one with given splits, which such files do not hold.
Evaluation load_evaluation(const std::filesystem::path& file, const Dataset& data);

/// The protocol in words: "20 random halves", "leave one subject out (4 groups)".
std::string protocol_in_words(const Evaluation& evaluation);

/// What the p-values and intervals of an evaluation are, in two or three sentences.
std::string tests_in_words(const Evaluation& evaluation);

/// The result of an evaluation in one or two sentences: the best method, and whether it is significantly above the
/// runner-up and the majority class.
std::string answer(const Evaluation& evaluation);

/// The settings by name, and the version, as a report lists them.
std::vector<Evaluation::Setting> settings_of(const Evaluation& evaluation);

/// The settings, the results of all splits, the scores of all methods and the subspace, if one was kept, as JSON: what
/// a results file holds.
std::string as_json(const Evaluation& evaluation);

}  // namespace dsk
