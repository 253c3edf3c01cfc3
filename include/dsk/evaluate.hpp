#pragma once

#include <dsk/matrices.hpp>
#include <dsk/train.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// A part of a data set to learn from and the rest to score on, as positions in ascending order.
struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};

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

/// The splits of a protocol, the same for the same seed on every machine. Where the data set has groups no group is in
/// both parts of a split, and `loo` leaves out a group at a time. Throws InvalidInput where the data set is too small
/// or a given split does not fit it.
std::vector<Split> make_splits(const Dataset& data, const Protocol& protocol, std::uint64_t seed);

struct Summary {
  double mean = 0;
  double deviation = 0;  ///< sample standard deviation; 0 for a single value
};

/// Throws InvalidInput for no values.
Summary summarise(std::span<const double> values);

/// How far the 95 % interval of the mean, by Student's distribution, reaches to each side; 0 for a single value.
double mean_interval(std::span<const double> values);

/// A method's results against a baseline's, pair by pair.
struct PairedComparison {
  double difference = 0;  ///< mean of method less baseline
  double low = 0;         ///< 95 % interval of the mean difference by Student's distribution
  double high = 0;
  double student_p = 1;   ///< two-sided; 1 if all differences are 0
  double wilcoxon_p = 1;  ///< two-sided signed-rank test, zeros left out; exact up to 50 others
};

/// Throws InvalidInput unless there are equally many values, at least two.
PairedComparison compare_paired(std::span<const double> method, std::span<const double> baseline);

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
  /// Of a k-NN method, where asked for: the classes that other numbers of neighbours predict, the rest being the same.
  std::map<Index, std::vector<int>> by_neighbours = {};
  /// Of a method that chose among candidates: the best setting of each kind, what was chosen first; at most ten.
  std::vector<CandidateScore> candidates = {};
  std::vector<CandidateScore> by_components = {};  ///< the best candidate of each size of subspace, smallest size first
};

/// What an evaluation is about to do.
struct EvaluationPlan {
  Index splits = 0;
  Index methods = 0;
  Index kernels = 0;   ///< to learn, if no result is known
  Index finished = 0;  ///< results, each of a method on a split, that are known already
};

struct EvaluationOptions {
  std::vector<Method> methods;
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
  std::function<void(const EvaluationPlan&)> on_start = {};
  /// Called after each new result, by one thread at a time; false stops with Cancelled.
  std::function<bool(const SplitResult&)> on_result = {};
};

/// A method over all splits.
struct MethodResult {
  Method method;
  std::vector<double> accuracies;           ///< per split; a single one over all splits for leave-one-out
  std::vector<double> balanced_accuracies;  ///< mean over the classes of the share that was correct
  Summary accuracy;
  Summary balanced_accuracy;
  Matrix confusion;  ///< rows: classes, columns: predicted
  /// The method it is compared with: SK with the same classifier, or the first SK, or the first method.
  std::size_t baseline = 0;
  std::optional<PairedComparison> against = {};  ///< for others than the baseline, from two splits on
  double seconds = 0;
};

/// A kernel that was evaluated, and the test matrices of its split as it and the plain kernel see them: sorted by
/// class, and thinned out to at most 400.
struct EvaluatedKernel {
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

/// A subspace that was evaluated, and the test matrices of its split before and after the projection: sorted by class,
/// and thinned out to at most 400.
struct EvaluatedSubspace {
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

struct Evaluation {
  std::vector<Split> splits;
  std::vector<SplitResult> results;   ///< by split, then method
  std::vector<MethodResult> methods;  ///< in the order asked for
  Index samples = 0;
  Index dim = 0;
  std::vector<std::string> class_names = {};
  Protocol protocol = {};
  std::string settings = {};                       ///< what the results depend on, as JSON
  std::vector<std::string> warnings = {};          ///< about the data, a sentence each
  std::optional<EvaluatedKernel> kernel = {};      ///< of the first result whose kernel was adjusted, where kept
  std::optional<EvaluatedSubspace> subspace = {};  ///< of the first result with a projection, where kept
};

/// Every method on every split; settings not given are chosen inside the split's training part.
/// The ranks of a team (in `selection.pairs`) share the splits; all get the result, rank 0's `on_result` is called.
/// Throws InvalidInput for no methods or one named twice, data without labels, a training part that a method cannot
/// learn from, or a results file of something else; ClassesInOneGroup where groups leave nothing to evaluate.
Evaluation evaluate(const Dataset& data, const EvaluationOptions& options);

/// The settings by name, and the version, as a report lists them.
std::vector<Setting> settings_of(const Evaluation& evaluation);

/// The settings, the results of all splits, the scores of all methods and the subspace, if one was kept, as JSON: what
/// a results file holds.
std::string as_json(const Evaluation& evaluation);

}  // namespace dsk
