#pragma once

#include <dsk/engine.hpp>
#include <dsk/evaluate.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/shared_learning.hpp"
#include "files/files.hpp"

namespace dsk {

// Statistics over splits.

/// Throws InvalidInput for no values.
Summary summarise(std::span<const double> values);

/// What a test over splits takes from them.
struct Resampling {
  /// n_test / n_train of a split. The variance of a mean over J splits is (1/J + test_to_train) times that of a split;
  /// 0 for values that are independent.
  double test_to_train = 0;
  /// The smallest change of an accuracy, 1 / n_test. Values that do not vary are taken to vary as if one of them had
  /// changed by this much: their deviation is at least step / sqrt(J).
  double step = 0;
};

/// The 95 % interval of the mean by Student's distribution. Throws InvalidInput for fewer than two values.
Interval mean_interval(std::span<const double> values, const Resampling& splits = {});

/// The 95 % interval of a share by Clopper & Pearson. Throws InvalidInput unless 0 <= right <= count and count > 0.
Interval share_interval(Index right, Index count);

/// By the corrected resampled t-test where `splits` share training data, otherwise by Student's t-test. Throws
/// InvalidInput unless there are equally many values, at least two.
PairedComparison compare_paired(std::span<const double> method, std::span<const double> baseline,
                                const Resampling& splits = {});

/// By McNemar's exact test. Values are 1 for a matrix that was classified correctly and 0 for others. The interval is
/// that of Bonett & Price. Throws InvalidInput unless there are equally many values, at least two.
PairedComparison compare_hits(std::span<const double> method, std::span<const double> baseline);

/// p-values adjusted for their number by Holm's method, in the same order.
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// The test that compares the methods; none for a single split.
std::optional<PairedComparison::Test> test_of(const Evaluation& evaluation);

/// Whether a method is one of the paper's: a plain or adjusted kernel with k-NN or the SVM.
bool is_from_paper(const Method& method);

}  // namespace dsk

namespace dsk::detail {

using Json = nlohmann::ordered_json;

/// What an evaluation depends on, for telling whether earlier results belong to it.
Json settings_json(const Dataset& data, const EvaluationOptions& options);

/// The one form in which results of a split are written to files and sent to other ranks.
Json to_json(const SplitResult& result);
/// Throws nlohmann's exceptions where something is missing or of another type.
SplitResult split_result_from(const Json& json);
Json to_json(const std::vector<SplitResult>& results);
std::vector<SplitResult> split_results_from(const Json& json);

/// The parsed file, or nothing if there is none. Throws InvalidInput, "FILE: exists but is not an `what` file ...", if
/// it cannot be read or parsed.
std::optional<Json> existing_json(const std::filesystem::path& file, std::string_view what);
/// Throws InvalidInput if a file with these settings was written by a version that chose settings by other rules: its
/// results must not be mixed with those of this one.
void require_same_rules(const std::filesystem::path& file, const Json& known, const Json& wanted);
/// That a file exists but does not hold what it should.
InvalidInput not_such_a_file(const std::filesystem::path& file, std::string_view what);

/// The test matrices to draw: sorted by class, and evenly thinned out to at most 400.
Dataset to_show(const Dataset& test);

/// The kernel of the first result that was adjusted, with the pictures of its test matrices. `kernels` are those that
/// were learned for each result; one that was learned by another rank, or before the run was resumed, is learned again
/// as it was then.
std::optional<Evaluation::Kernel> first_evaluated_kernel(const Dataset& data, const EvaluationOptions& options,
                                                         const Evaluation& evaluation,
                                                         std::vector<std::optional<LearnResult>>& kernels);

/// The first candidate of each kind, at most ten. Of the same kind are those that differ in their settings, which are
/// named behind a comma, but not in the number of components.
std::vector<CandidateScore> best_of_each_kind(const std::vector<CandidateScore>& candidates);

/// The best candidate for each number of components, which ascends. One that was scored on more folds is better.
std::vector<CandidateScore> best_by_components(const std::vector<CandidateScore>& candidates);

/// The subspace of the first result that projects, learned again as it was for that result, with the pictures of its
/// test matrices.
std::optional<Evaluation::Subspace> first_evaluated_subspace(const Dataset& data, const EvaluationOptions& options,
                                                             const Evaluation& evaluation);

/// The position of what a method is compared with: SK with the same classifier. A method that has none of its own, such
/// as MDM, TS:lr, auto or the majority class, and one whose SK is not there, is compared with the SK of highest
/// accuracy, the first of several; without any SK, with the first method.
std::size_t baseline_of(const Method& method, std::span<const Method> methods, std::span<const double> accuracies);

/// The code of the most frequent class, the first of several, and its share of the matrices, by their weights.
struct MostFrequent {
  int code = 0;
  double share = 0;
};
MostFrequent most_frequent_class(const Dataset& train);

/// Fills in the scores of all methods, their comparisons and the ranking, from the results of all splits. Adds the
/// majority class if it is not among the methods, and warnings where scores mislead.
void summarise_methods(const Dataset& data, const std::vector<Method>& methods, Evaluation& evaluation);

/// "'a', 'b' and 3 more": names of classes for a message, at most five.
std::string listed_classes(const std::vector<std::string>& names);

/// One method on one split.
struct EvaluationTask {
  const Split* split = nullptr;
  Index number = 0;  ///< of the split, from 0
  const Method* method = nullptr;
  SharedLearning* shared = nullptr;  ///< with other methods on this split
};

/// An evaluation before its first result: the splits, what is known of the data, and warnings. `means` says why the
/// means of groups stopped, as `evaluated_data` does.
Evaluation evaluation_before_results(const Dataset& data, const EvaluationOptions& options, Mean::Stop means);

/// Throws InvalidInput unless there are methods, each named once, that fit the settings.
void check_methods(const EvaluationOptions& options);

/// The matrices that are split: those of each group recentred by their own mean, if that is asked for. `stop`, unless
/// null, is set to why these means stopped.
Dataset evaluated_data(const Dataset& data, Recentring recentre, int threads, Mean::Stop* stop = nullptr);

/// Computes one task on so many threads of this process or, unless `inside` is null, on all of its ranks together.
/// `kernel`, unless null, is set to the kernel that was learned, if any. `data` is what `evaluated_data` returns.
SplitResult result_of(const Dataset& data, const EvaluationTask& task, const EvaluationOptions& options, int threads,
                      const Team* inside = nullptr, std::optional<LearnResult>* kernel = nullptr);

/// Tasks of an evaluation for the ranks of a team.
struct RankedTasks {
  const Team& team;
  int threads = 0;             ///< of a rank
  bool one_at_a_time = false;  ///< all threads of a rank share one task, and do not have one each
  /// The result of a task, with so many threads, by this rank alone or, unless null, by all ranks together.
  std::function<SplitResult(std::size_t task, int threads, const Team* inside)> run;
  std::function<bool(const SplitResult&)> on_result;  ///< called by rank 0 alone; false stops all with Cancelled
};

/// Computes results[t] of all tasks t in `todo` for all ranks. Fewer tasks than ranks are done one after the other,
/// each by all ranks; otherwise every rank takes some, in turns: after each turn results are exchanged and reported.
/// The tasks of a turn should take equally long.
void run_over_ranks(const RankedTasks& work, std::span<const std::size_t> todo, std::vector<SplitResult>& results);

}  // namespace dsk::detail
