#pragma once

#include <dsk/classify.hpp>
#include <dsk/mean.hpp>

#include <memory>
#include <optional>

namespace dsk {

struct MdmOptions {
  Metric metric = Metric::airm;
  double zeta = 0.5;  ///< exponent of the power-Euclidean metric
  int threads = 0;
};

/// Minimum distance to mean: the mean of each class, by any metric.
class MdmClassifier {
 public:
  /// `means` holds one matrix for each class that occurs, in the order of the class names. Throws InvalidInput
  /// otherwise.
  explicit MdmClassifier(const Dataset& means, const MdmOptions& options = {});

  const Dataset& means() const { return means_; }
  const Comparison& comparison() const { return comparison_; }
  Index dim() const { return means_.dim(); }
  /// For the library: the means, prepared for comparison.
  const ComparedBatch& compared() const { return *compared_; }

 private:
  Dataset means_;
  Comparison comparison_;
  std::shared_ptr<const ComparedBatch> compared_;
};

/// Throws InvalidInput if the training set has no labels, and as `mean` does.
MdmClassifier train_mdm(const Dataset& train, const MdmOptions& options = {});

/// Predicts the class with the nearest mean; ties go to the first class. Scores are the softmax of minus the squared
/// distances (minus the divergences for Stein). Throws InvalidInput if the matrices have another size.
Prediction predict(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options = {});

struct KernelMeanOptions {
  /// Of the kernel exp(-theta d^2), any value above 0; default: the learned kernel's theta, or 1.
  std::optional<double> theta = {};
  PairOptions pairs = {};
};

/// The mean of each class in the space of a kernel. The squared distance of phi(X) from the mean of class c is, up to a
/// constant, minus the score 2 mean_{j in c} k(X, X_j) - mean_{j, j' in c} k(X_j, X_j').
class MeanClassifier {
 public:
  struct Parts;
  /// For the library: use train_mean or load_model. Throws InvalidInput unless the parts match, all numbers are finite,
  /// and theta and scale are above 0.
  explicit MeanClassifier(Parts parts, int threads = 0);

  const Comparison& comparison() const;
  const Dataset& training_set() const;
  double theta() const;
  Index dim() const { return training_set().dim(); }
  const Parts& parts() const { return *parts_; }
  const ComparedBatch& compared() const { return *compared_; }

 private:
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const ComparedBatch> compared_;
};

/// Throws InvalidInput if the training set has no labels, if theta is not finite and above 0, or if the comparison is
/// for matrices of another size.
MeanClassifier train_mean(const Comparison& comparison, const Dataset& train, const KernelMeanOptions& options = {});
MeanClassifier train_mean(const LearnedKernel& kernel, const Dataset& train, const KernelMeanOptions& options = {});

/// Predicts the class with the largest score; ties go to the first class. Scores are the softmax of score / scale.
/// Throws InvalidInput if the matrices have another size.
Prediction predict(const MeanClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// A linear model on the tangent space at the mean of the training set.
class TangentClassifier {
 public:
  struct Parts;
  /// For the library: use train_logistic, train_tangent_svm or load_model. Throws InvalidInput unless the parts match
  /// and all numbers are finite.
  explicit TangentClassifier(Parts parts);

  const TangentSpace& space() const;
  /// The classes that occur, in ascending order, with the names of all.
  const Labels& classes() const;
  /// Whether it is made of support vector machines, one per pair of classes; otherwise it is logistic regression.
  bool is_pairwise() const;
  Index dim() const { return space().dim(); }
  const Parts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const Parts> parts_;
};

struct LogisticTraining {
  double c = 1;                  ///< smaller values regularise more
  Metric metric = Metric::airm;  ///< of the mean
  int max_iterations = 1000;
  double tolerance = 1e-7;  ///< of the gradient, relative to that of a model without weights
  int threads = 0;
};

/// Multinomial logistic regression with an L2 penalty: minimises c times the sum of the losses plus half the squared
/// norm of the weights, as scikit-learn does; offsets are not penalised. Features are divided by the root mean square
/// of their distances from their mean first, so that c has the same meaning in any units. Throws InvalidInput if the
/// training set has no labels or an option is out of range.
TangentClassifier train_logistic(const Dataset& train, const LogisticTraining& options = {});

/// Linear support vector machines for all pairs of classes, on features scaled as for train_logistic; `metric` is that
/// of the mean. Of the options C, the margin, the class weights and the threads are used. Throws InvalidInput as
/// train_svm does.
TangentClassifier train_tangent_svm(const Dataset& train, const SvmTraining& options = {},
                                    Metric metric = Metric::airm);

/// Logistic regression: predicts the most probable class, scores are the probabilities. Support vector machines:
/// predicts the class that wins most pairs, scores are the fractions of pairs won. Ties go to the first class. Throws
/// InvalidInput if the matrices have another size.
Prediction predict(const TangentClassifier& model, const SpdBatch& x, const PairOptions& options = {});

}  // namespace dsk
