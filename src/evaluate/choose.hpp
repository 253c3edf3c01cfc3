#pragma once

#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>
#include <dsk/model.hpp>
#include <dsk/train.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "classify/classify.hpp"
#include "evaluate/shared_learning.hpp"
#include "spd/spd.hpp"

namespace dsk {

/// Cross-validation over penalties inside a training set.
struct PenaltySearch {
  /// Times the criterion of the plain kernel; infinity: no adjustment. Must not be empty.
  std::vector<double> relative_penalties = SelectionOptions().relative_penalties;
  std::optional<double> penalty = {};  ///< the only penalty to score, in place of the relative ones
  Classifier classifier = Classifier::knn;
  std::vector<Index> neighbours = {1, 3, 5, 7, 9};  ///< tried for k-NN
  std::vector<double> svm_cs = {1, 10, 100, 1000};  ///< tried for the SVM
  /// Tried as theta of the SVM's kernel beside the criterion's own, over the median divergence of the adjusted
  /// matrices.
  std::vector<double> relative_thetas = {};
  bool both_ranges = false;  ///< try these also moved to the nearest thetas for which the kernel is positive definite
  SvmVariant svm = {};
  /// Learning on a fold stops at this tolerance: ranking penalties takes fewer digits than the kernel that is kept.
  double tolerance = 1e-3;
  Index learn_on = 0;  ///< learn from a balanced sample of this many matrices of a fold; 0: from all
  Index folds = 5;
  std::vector<Split> given_folds = {};  ///< in place of `folds`
  std::uint64_t seed = 0;
  detail::SharedLearning* shared = nullptr;  ///< where kernels of the folds are found and kept; null: nowhere
  /// Called after each of `total` kernels learned; false stops with Cancelled.
  std::function<bool(int done, int total)> on_progress = {};
};

/// Scores each penalty by kernels that are learned without the held-out fold, and returns the best. Of equally good
/// penalties the strongest wins: an adjustment that does not help is not made. Throws InvalidInput for a bad grid, and
/// where learning does; Cancelled also if the callback of `options` stops.
PenaltyChoice choose_penalty(const Dataset& train, const FitOptions& options, const PenaltySearch& search = {});

/// Chooses all settings that are not given by stratified cross-validation, in which kernels are learned without the
/// held-out fold. A learned method whose adjustment does not help becomes the plain kernel with that kernel's settings.
ChosenMethod choose_settings(const Dataset& train, const Method& method, const SelectionOptions& options = {});

/// The same for a given comparison: neighbours, or theta (unless a learned kernel has one) and C.
ChosenMethod choose_settings(const Dataset& train, const Comparison& comparison, Classifier classifier,
                             const SelectionOptions& options = {});

/// How many kernels choosing would learn for matrices of size `dim`: most of the time goes into them. Subspaces do not
/// count.
Index kernels_to_learn(const Method& method, Index dim, const SelectionOptions& options);

/// The classes, as codes of the training set's labels, that a chosen method predicts for new matrices.
std::vector<int> predict_classes(const ChosenMethod& chosen, const Dataset& train, const SpdBatch& x,
                                 const PairOptions& options = {});

}  // namespace dsk

namespace dsk::detail {

/// Whether the criterion is one of the paper's.
bool is_printed(Criterion criterion);
/// Whether only thetas for which the kernel is positive definite are tried unless others are asked for: the paper's
/// methods, kernels learned by its criteria among them.
bool keeps_to_valid_thetas(const Method& method);

/// The options of one method of an evaluation: the paper's methods keep to valid thetas where nothing else is asked
/// for, and groups are recentred already.
SelectionOptions selection_for(const Method& method, SelectionOptions options);

/// As choose_settings, which shares nothing; `shared` may be null.
ChosenMethod choose(const Dataset& train, const Method& method, const SelectionOptions& options,
                    SharedLearning* shared);

/// Trains a chosen method other than majority.
Model model_as_chosen(const ChosenMethod& chosen, const Dataset& train, const PairOptions& options);

/// Refuses settings that only methods with one kernel have, if some of these methods combine kernels and the others do
/// not have them either.
void check_combining(std::span<const Method> methods, const SelectionOptions& options);

/// What choose_settings chooses for a plain kernel, and for a learned one or the best of the paper's learned kernels.
ChosenMethod choose_plain(const Dataset& train, const Method& method, const SelectionOptions& options,
                          SharedLearning* shared);
ChosenMethod choose_learned(const Dataset& train, const Method& method, const SelectionOptions& options,
                            SharedLearning* shared);

/// Keeps the one of higher accuracy in cross-validation, the first of equal ones.
inline void keep_better(ChosenMethod& best, const ChosenMethod& other) {
  if (other.validation_accuracy > best.validation_accuracy) best = other;
}

/// What choose_settings chooses with each of these numbers of neighbours given, for a method with k-NN. All share the
/// kernels that are learned on the folds.
std::vector<ChosenMethod> choose_for_each(const Dataset& train, const Method& method, SelectionOptions options,
                                          const std::vector<Index>& neighbours, SharedLearning* shared);

/// The kernel that choose_settings learned for a method on a training set, given the learning and the penalty that it
/// chose: the same to the bit.
LearnResult fit_as_chosen(const Dataset& train, const Method& asked, const Method::Learning& learning, double penalty,
                          const SelectionOptions& options);

inline SavedKernel::Origin kernel_origin(Criterion criterion, double penalty, const Fit& fit, const Dataset& train) {
  return {.criterion = std::string(name(criterion)),
          .value = fit.criterion,
          .c = fit.c,
          .penalty = penalty,
          .iterations = fit.iterations,
          .stop = std::string(name(fit.stop)),
          .history = fit.history,
          .samples = train.size(),
          .classes = train.labels().names()};
}

/// Classes whose matrices all belong to one group cannot be both learned and tested while groups are kept together.
/// Returns a sentence about them, or nothing if there are none or the data have no groups. Throws ClassesInOneGroup
/// where there is no other class.
std::vector<std::string> group_warnings(const Dataset& data);

/// Whether each of the scored matrices was classified correctly, in the order in which they were scored.
using Hits = std::vector<bool>;

/// The given folds, if there are any, or stratified ones. Throws InvalidInput for given ones with an index that is out
/// of range.
std::vector<Split> folds_of(const Dataset& train, const std::vector<Split>& given, Index folds, std::uint64_t seed);

/// The weights of the matrices in the order in which they are scored; empty: all 1.
std::vector<double> scored_weights(const Dataset& train, const std::vector<Split>& splits);

/// By their nearest neighbours, for each number of neighbours. Distances are (test, train); weights are those of the
/// training part.
std::vector<Hits> neighbour_hits(const Matrix& distances, const Labels& train, const Labels& test,
                                 const std::vector<Index>& neighbours, const std::vector<double>& weights = {});

/// The shares of the classes among the nearest neighbours: (test, classes), with distances and weights as above.
Matrix neighbour_scores(const Matrix& distances, const Labels& train, Index neighbours,
                        const std::vector<double>& weights = {});

/// Whether the largest score of each row, the first of several, is that of the true class.
Hits hits_of_largest(const Matrix& scores, const std::vector<int>& truth);

/// How a machine of this variant is trained.
SvmTraining svm_training(const SvmVariant& variant, double c, int threads);
/// The machine itself, for these labels and weights.
SvmOptions machine_of(const SvmVariant& variant, const Labels& train, const std::vector<double>& weights, int threads);

/// By support vector machines of this variant, for each C.
std::vector<Hits> svm_hits(const Matrix& train_kernel, const Matrix& test_kernel, const Labels& train,
                           const Labels& test, const std::vector<double>& cs, const SvmVariant& variant, int threads,
                           const std::vector<double>& weights = {});

/// Appends the next fold's hits to those so far, of which there may be none, setting by setting.
void append(std::vector<Hits>& all, const std::vector<Hits>& fold);

/// The weights of the scored matrices count as repetitions; none: all 1.
double share(const Hits& hits, const std::vector<double>& weights = {});

/// Of the share of hits, as if they were independent.
double standard_error(const Hits& hits);

/// How many more hits than `others` has, in standard errors of the paired difference.
double gain(const Hits& hits, const Hits& others, const std::vector<double>& weights = {});

/// `relative` thetas over the median of the squared distances of different matrices, in the same order; each moved to
/// the nearest for which the kernel is valid for matrices of size `dim`, unless `any` will do.
std::vector<double> thetas_over_median(const Matrix& distances, const std::vector<double>& relative, Metric metric,
                                       Index dim, bool any);

/// The matrices that a kernel is learned from: all, or `count` of them, as many of each class as can be, if that is
/// above 0.
inline Dataset to_learn_from(const Dataset& train, Index count, std::uint64_t seed) {
  return count > 0 && count < train.size() ? train.select(balanced_sample(train.labels(), count, seed)) : train;
}

/// The matrices that candidates and combined kernels are cross-validated on, which takes time that grows with the
/// square of their number: at most 4000, unless folds are given.
inline Dataset to_choose_on(const Dataset& train, const SelectionOptions& options) {
  constexpr Index enough = 4000;
  return options.given_folds.empty() ? to_learn_from(train, enough, options.seed) : train;
}

/// A sentence for each thing that is wrong with a trained model or members of it, with a remedy: a kernel matrix of the
/// training set that is nearly the identity, nearly constant or not positive definite, or means that did not converge.
std::vector<std::string> model_warnings(const Model& model, const Dataset& train, int threads);
/// Whether kernel matrices of SVMs trained on so many matrices were clipped, in words; empty if none was.
std::string clipping_note(const Model& model, Index matrices);
/// The same of means that did not converge, such as "the mean by which matrices are recentred"; none for others.
std::vector<std::string> mean_warnings(std::string_view mean, std::optional<Mean::Stop> stop);
/// Those of what was chosen and of a model that was trained as chosen.
std::vector<std::string> training_warnings(const ChosenMethod& chosen, const Model& model, const Dataset& train,
                                           int threads);

}  // namespace dsk::detail
