#pragma once

#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
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
    given    ///< as `parts` says
  };
  Kind kind = Kind::halves;
  Index count = 20;
  std::vector<int> parts = {};  ///< of a given split: for each matrix the split that scores it, -1 for none

  /// Reads "halves:20", "kfold:5" or "loo"; throws InvalidInput.
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

enum class Classifier { knn, svm };

/// Reads "knn" or "svm"; throws InvalidInput.
Classifier parse_classifier(std::string_view text);
std::string_view name(Classifier classifier);

/// Cross-validation over penalties inside a training set.
struct PenaltySearch {
  /// Times the criterion of the plain kernel; infinity: no adjustment. Must not be empty.
  std::vector<double> relative_penalties = {1e-3, 1e-2, 1e-1, 1, std::numeric_limits<double>::infinity()};
  Classifier classifier = Classifier::knn;
  std::vector<Index> neighbours = {1, 3, 5, 7, 9};  ///< tried for k-NN
  std::vector<double> svm_cs = {1, 10, 100, 1000};  ///< tried for the SVM
  /// Tried as theta of the SVM's kernel beside the criterion's own, over the median divergence of the adjusted
  /// matrices.
  std::vector<double> relative_thetas = {};
  /// At which learning on a fold may stop: ranking penalties takes fewer digits than the kernel that is kept.
  double tolerance = 1e-3;
  Index learn_on = 0;  ///< learn from a sample, even over the classes, of so many matrices of a fold; 0: from all
  Index folds = 5;
  std::uint64_t seed = 0;
  /// Called after each of `total` kernels learned; false stops with Cancelled.
  std::function<bool(int done, int total)> on_progress = {};
};

/// One penalty with the classifier's setting that went best with it.
struct PenaltyScore {
  double penalty = 0;
  double accuracy = 0;
  double setting = 0;           ///< neighbours, or C of the SVM
  double relative_theta = 0;    ///< of the SVM's kernel; 0: the criterion's own theta
  std::vector<bool> hits = {};  ///< whether each held-out matrix got its class, fold after fold
};

struct PenaltyChoice {
  PenaltyScore best;
  std::vector<PenaltyScore> scores;  ///< by ascending penalty
  Index folds = 0;                   ///< made: no more than the largest class has members
};

/// The penalty whose kernels, learned on all folds but one, classify the matrices of that one best. Of equally good
/// ones the strongest: an adjustment that does not help is not made. Throws InvalidInput for a bad grid, and where
/// learning does; Cancelled also if the callback of `options` stops.
PenaltyChoice choose_penalty(const Dataset& train, const FitOptions& options, const PenaltySearch& search = {});

/// What a learned kernel is learned by.
struct Learning {
  Criterion criterion = Criterion::alignment;
  Adjustment adjustment = Adjustment::power;
};

/// A way to compare matrices and a classifier on top, by the paper's names.
struct Method {
  Metric metric = Metric::stein;
  std::optional<Learning> learning = {};
  bool automatic = false;  ///< choose among plain and learned kernels
  Classifier classifier = Classifier::knn;

  /// Reads AIRM, CHK, EUK, LEK, PEK, SK, DSK-{KA,CS,RM,TM,CA,NN}-{p,c,a} or DSK-auto, with :knn (the default) or :svm
  /// behind it. Throws InvalidInput; also for AIRM:svm, which has no kernel.
  static Method parse(std::string_view text);
  /// Several, separated by commas, all different.
  static std::vector<Method> parse_list(std::string_view text);
  /// Without the classifier.
  std::string name() const;
  /// With it.
  std::string full_name() const;
};

/// Which theta an SVM's kernel may have.
enum class ThetaRange {
  valid,  ///< those for which the kernel is positive definite for every sample
  any     ///< all above 0; a training Gram matrix that turns out indefinite is clipped
};

struct SelectionOptions {
  Index folds = 5;
  std::uint64_t seed = 0;
  std::vector<Index> neighbours = {1, 3, 5, 7, 9};
  std::vector<double> svm_cs = {1, 10, 100, 1000};
  /// Tried for the SVM, over the median squared distance; for a learned kernel its criterion's theta beside them.
  std::vector<double> relative_thetas = {0.0625, 0.25, 1, 4, 16};
  std::vector<double> zetas = {0.25, 0.5, 0.75, 1};
  std::optional<double> theta = {};    ///< in place of the search
  std::optional<double> penalty = {};  ///< of learned kernels, in place of the search
  std::vector<double> relative_penalties = PenaltySearch().relative_penalties;
  /// By how many standard errors of the paired difference an adjusted kernel must beat the plain one in
  /// cross-validation to be used: the best of many is a little better by chance alone. Not asked for with a given
  /// penalty.
  double required_gain_knn = 0.5;
  double required_gain_svm = 1;  ///< more: it chooses among several times as many settings
  /// Learn kernels from a sample, even over the classes, of so many training matrices, and choose by all; 0: learn from
  /// all.
  Index learn_on = 0;
  ThetaRange theta_range = ThetaRange::valid;
  Scale scale = {};
  int max_iterations = FitOptions().max_iterations;  ///< of learning
  double tolerance = FitOptions().tolerance;         ///< of learning
  /// Called after each of `total` kernels learned in the search for one method's penalty; false stops with Cancelled.
  std::function<bool(int done, int total)> on_progress = {};
  PairOptions pairs = {};
};

/// Everything that cross-validation inside the training set left for predicting with.
struct ChosenMethod {
  Method method;          ///< what was asked for, or for DSK-auto what it became
  Comparison comparison;  ///< learned on the whole training set
  double theta = 0;       ///< of the SVM's kernel; 0 for k-NN
  double setting = 0;     ///< neighbours, or C of the SVM
  double penalty = 0;     ///< of a learned kernel; infinite: not adjusted
  double validation_accuracy = 0;
  std::vector<bool> hits = {};  ///< in cross-validation, fold after fold
  std::optional<Fit> fit = {};
};

/// Chooses all that is free by stratified cross-validation, in which kernels are learned without the held-out fold. A
/// learned method whose adjustment does not help there becomes the plain kernel with the plain kernel's settings.
ChosenMethod choose_settings(const Dataset& train, const Method& method, const SelectionOptions& options = {});

/// The same for a comparison that is given: neighbours, or theta (unless a learned kernel has one) and C.
ChosenMethod choose_settings(const Dataset& train, const Comparison& comparison, Classifier classifier,
                             const SelectionOptions& options = {});

/// How many kernels choosing would learn: what most of the time goes into.
Index kernels_to_learn(const Method& method, const SelectionOptions& options);

/// The classes, as codes of the training set's labels, that a chosen method predicts for new matrices.
std::vector<int> predict_classes(const ChosenMethod& chosen, const Dataset& train, const SpdBatch& x,
                                 const PairOptions& options = {});

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
  std::string method;  ///< full name
  Index split = 0;
  std::vector<int> predicted;  ///< codes for the split's test part, in its order
  double accuracy = 0;         ///< share of them that is right
  double theta = 0;
  double setting = 0;
  double penalty = 0;
  double validation_accuracy = 0;
  std::string chosen;  ///< full name of what DSK-auto became, otherwise the method's
  double seconds = 0;
  /// Of a k-NN method, where asked for: the classes that other numbers of neighbours predict, the rest being the same.
  std::map<Index, std::vector<int>> by_neighbours = {};
};

struct EvaluationOptions {
  std::vector<Method> methods;
  Protocol protocol = {};
  std::uint64_t seed = 0;
  SelectionOptions selection = {};
  std::optional<Index> first_splits = {};    ///< only so many of the protocol's splits
  std::vector<Index> other_neighbours = {};  ///< to predict with as well, by methods with k-NN
  int threads = 0;                           ///< splits are shared among them; the results are the same for any number
  /// Results of an earlier run with the same data and options: these are not computed again.
  std::vector<SplitResult> finished = {};
  /// Called after each new result, by one thread at a time; false stops with Cancelled.
  std::function<bool(const SplitResult&)> on_result = {};
};

/// A method over all splits.
struct MethodResult {
  Method method;
  std::vector<double> accuracies;           ///< per split; a single one over all splits for leave-one-out
  std::vector<double> balanced_accuracies;  ///< mean over the classes of the share that was right
  Summary accuracy;
  Summary balanced_accuracy;
  Matrix confusion;  ///< rows: classes, columns: predicted
  /// The method it is compared with: SK with the same classifier, or the first SK, or the first method.
  std::size_t baseline = 0;
  std::optional<PairedComparison> against = {};  ///< for others than the baseline, from two splits on
  double seconds = 0;
};

struct Evaluation {
  std::vector<Split> splits;
  std::vector<SplitResult> results;   ///< by split, then method
  std::vector<MethodResult> methods;  ///< in the order asked for
};

/// Every method on every split; all that is free is chosen inside the split's training part.
/// The ranks of a team (in `selection.pairs`) share the splits; all get the result, rank 0's `on_result` is called.
/// Throws InvalidInput for no methods or one named twice, data without labels, or a training part that a method cannot
/// learn from.
Evaluation evaluate(const Dataset& data, const EvaluationOptions& options);

}  // namespace dsk
