#pragma once

#include <dsk/kernel/comparison.hpp>
#include <dsk/select/method.hpp>

namespace dsk {

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
  int max_iterations = LearnOptions().max_iterations;  ///< of learning
  double tolerance = LearnOptions().tolerance;         ///< of learning
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

}  // namespace dsk
