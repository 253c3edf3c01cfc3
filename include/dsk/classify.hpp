#pragma once

#include <dsk/engine.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

namespace detail {
struct Inside;
struct PreparedNeighbours;
struct SvmParts;
struct MeanParts;
struct TangentParts;
}  // namespace detail

enum class Classifier {
  knn,         ///< k nearest neighbours
  svm,         ///< support vector machine
  mean,        ///< nearest class mean in kernel space
  mdm,         ///< nearest class mean
  logistic,    ///< logistic regression on the tangent space
  tangent_svm  ///< linear support vector machine on the tangent space
};

/// Reads a name or alias; throws InvalidInput, listing all of them.
Classifier parse_classifier(std::string_view text);
std::string_view name(Classifier classifier);
/// For help: "knn, svm, ...".
std::string classifier_choices();

/// The predictions of a classifier for new matrices.
struct Prediction {
  Labels labels;                        ///< one per matrix, with the names of all classes in the training set
  Matrix scores;                        ///< one row per matrix, one column per class name; rows sum to 1
  std::optional<double> accuracy = {};  ///< where the true labels are known and asked about
};

/// The fraction of labels that are correct. Classes are compared by name, so a class that the classifier never saw
/// counts as wrong. Throws InvalidInput if the two have different sizes or are empty.
double accuracy(const Labels& predicted, const Labels& truth);

struct KnnOptions {
  Index neighbours = 5;
  int threads = 0;  ///< for training; 0 uses all cores
};

/// A k-nearest-neighbour classifier: the training set, prepared for comparison with new matrices.
class KnnClassifier {
 public:
  /// Throws InvalidInput if the training set has no labels, `neighbours` is below 1, or the comparison is for matrices
  /// of another size.
  KnnClassifier(Comparison comparison, const Dataset& train, const KnnOptions& options = {});

  const Comparison& comparison() const { return comparison_; }
  const Dataset& training_set() const { return train_; }
  Index neighbours() const { return neighbours_; }
  Index dim() const { return train_.dim(); }

 private:
  friend struct detail::Inside;

  Comparison comparison_;
  Dataset train_;
  Index neighbours_;
  std::shared_ptr<const detail::PreparedNeighbours> prepared_;
};

KnnClassifier train_knn(const Comparison& comparison, const Dataset& train, const KnnOptions& options = {});
KnnClassifier train_knn(const LearnedKernel& kernel, const Dataset& train, const KnnOptions& options = {});

/// Predicts the majority class among the nearest training matrices. Ties between classes go to the class with the
/// nearest member, ties between distances to the training matrix that comes first. Scores are the fractions of votes.
/// Throws InvalidInput if the matrices differ in size from the training set's.
Prediction predict(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// The fraction of matrices whose class is predicted correctly. Throws InvalidInput if the data have no labels.
double accuracy(const KnnClassifier& model, const Dataset& data, const PairOptions& options = {});

/// The loss for points on the wrong side of the margin.
enum class SoftMargin {
  linear,  ///< C times the sum of slacks: the usual SVM
  squared  ///< C/2 times the sum of squared slacks, as in the paper; equals a hard margin with K + I/C
};

struct SvmTraining {
  std::optional<double> theta = {};  ///< of the kernel exp(-theta d^2); default: the learned kernel's theta, or 1
  double c = 1;
  SoftMargin margin = SoftMargin::linear;
  bool balanced = false;                   ///< weight classes by 1 / size, scaled to a mean of 1 over the training set
  std::vector<double> class_weights = {};  ///< factors of C in the order of the class names; not with `balanced`
  bool probabilities = false;              ///< calibrate probabilities; trains five more machines per pair
  bool allow_indefinite = false;           ///< accept a theta for which the kernel may not be positive definite
  std::uint64_t seed = 0;                  ///< for the folds of the calibration
  PairOptions pairs = {};
};

/// Support vector machines for all pairs of classes, with their support matrices.
class SvmClassifier {
 public:
  /// Throws InvalidInput for a combined kernel, and so does theta().
  const Comparison& comparison() const;
  const CombinedKernel* combined() const;  ///< null for any other kernel
  const Dataset& support() const;
  /// The offsets of the machines, one per pair of classes.
  const Eigen::RowVectorXd& offsets() const;
  /// Factors of the kernel values with the support matrices, (support matrices, pairs of classes).
  Matrix coefficients() const;
  /// The options of the training, with the theta and the class weights that were used.
  const SvmTraining& training() const;
  bool has_probabilities() const;
  /// Smallest eigenvalue of the training set's kernel matrix; computed only if theta does not guarantee a positive
  /// definite kernel. If it is negative, the machines are trained on the nearest positive semidefinite matrix.
  std::optional<double> smallest_eigenvalue() const;
  double theta() const;
  Index dim() const { return support().dim(); }

 private:
  friend struct detail::Inside;
  /// Throws InvalidInput unless the parts match.
  explicit SvmClassifier(detail::SvmParts parts, int threads = 0);

  std::shared_ptr<const detail::SvmParts> parts_;
  std::shared_ptr<const std::vector<ComparedBatch>> compared_;  ///< for each part of a combined kernel; otherwise one
};

/// Throws InvalidInput if the training set has no labels or fewer than two classes, if theta does not guarantee a
/// positive definite kernel (unless allowed), or if another option is out of range.
SvmClassifier train_svm(const Comparison& comparison, const Dataset& train, const SvmTraining& options = {});
SvmClassifier train_svm(const LearnedKernel& kernel, const Dataset& train, const SvmTraining& options = {});
/// The same for a combined kernel, which has its own thetas: none may be given.
SvmClassifier train_svm(const CombinedKernel& kernel, const Dataset& train, const SvmTraining& options = {});

/// Predicts the class that wins most pairs; ties go to the first. Scores are calibrated probabilities if the model has
/// them, otherwise the fractions of pairs won. The most probable class may differ from the predicted one. Throws
/// InvalidInput if the matrices have another size.
Prediction predict(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// Decision values, one column per pair of classes (0, 1), (0, 2), ..., (1, 2), ...: positive for the first.
Matrix decision_values(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// The fraction of matrices whose class is predicted correctly. Throws InvalidInput if the data have no labels.
double accuracy(const SvmClassifier& model, const Dataset& data, const PairOptions& options = {});

/// k-nearest neighbours by Euclidean distance between Nystrom features, which approximates sqrt(2 - 2 k(X, Y)). Stores
/// the m features of each of the n training matrices, 8 n m bytes, and the landmarks, but no other matrices. One
/// comparison costs m multiplications for any d: much cheaper than the divergence of large matrices, dearer than that
/// of small ones.
class NystromKnn {
 public:
  /// Throws InvalidInput if the training set has no labels or another matrix size, or if `neighbours` is below 1.
  NystromKnn(const NystromMap& map, const Dataset& train, const KnnOptions& options = {});
  /// Restores a trained classifier; no weights: all 1. Throws InvalidInput unless the parts match and are finite.
  NystromKnn(NystromMap map, Matrix features, Labels labels, Index neighbours, std::vector<double> weights = {});

  const NystromMap& map() const { return map_; }
  const Comparison& comparison() const { return map_.comparison(); }
  /// The features of the training set, one row per matrix.
  const Matrix& features() const { return features_; }
  const Labels& labels() const { return labels_; }
  Index neighbours() const { return neighbours_; }
  /// How many votes each matrix of the training set has; empty: one each.
  const std::vector<double>& weights() const { return weights_; }
  Index dim() const { return map_.dim(); }
  /// The mean of 1 - |phi(X)|^2 over the training set: 0 if the features are exact.
  double residual_share() const;

 private:
  NystromMap map_;
  Matrix features_;
  Labels labels_;
  Index neighbours_;
  std::vector<double> weights_;
};

/// As for KnnClassifier, which this approximates.
Prediction predict(const NystromKnn& model, const SpdBatch& x, const PairOptions& options = {});
double accuracy(const NystromKnn& model, const Dataset& data, const PairOptions& options = {});

/// Linear support vector machines on Nystrom features, and the outcome of their training.
struct NystromSvm {
  /// w'phi(X) + b is a weighted sum of kernel values with the landmarks, so the landmarks are the support matrices.
  SvmClassifier classifier;
  double residual_share = 0;  ///< mean of 1 - |phi(X)|^2 over the training set
  Index unfinished = 0;       ///< pairs of classes whose training reached the limit of passes
};

/// Trains one machine per pair of classes, as train_svm does, but on features in single precision: memory is 4 n m
/// bytes and time is proportional to n m instead of n^2. The offset b is regularised like a weight, as in LIBLINEAR.
/// The landmarks of the map must have labels with the names of the training set. Throws InvalidInput as train_svm does,
/// if `theta` differs from the map's, and if `probabilities` are requested, which are not supported here.
NystromSvm train_nystrom_svm(const NystromMap& map, const Dataset& train, const SvmTraining& options = {});

/// The error of an approximation, measured on samples that are small enough for exact computation.
struct ApproximationCheck {
  Index pairs_of = 0;        ///< random matrices whose kernel values are compared, all pairs
  double mean_error = 0;     ///< mean of |phi(X)'phi(Y) - k(X, Y)| over pairs of different matrices
  double largest_error = 0;  ///< largest of these
  Index trained_on = 0;      ///< matrices, balanced over classes, that both classifiers are trained on
  Index predicted = 0;       ///< other matrices that both classifiers predict
  double exact = 0;          ///< accuracy of the exact classifier
  double approximate = 0;    ///< accuracy of the approximate classifier with the same settings
  double agreement = 0;      ///< fraction of matrices for which both predict the same class
};

/// The accuracy of 1-nearest-neighbour classification with each matrix left out in turn, from a symmetric matrix of
/// distances. Ties go to the matrix that comes first. Throws InvalidInput if the numbers of labels and distances differ
/// or are below two.
double leave_one_out_accuracy(const Matrix& distances, const Labels& labels);

/// Minimum distance to mean: the mean of each class, by any metric.
class MdmClassifier {
 public:
  /// `means` holds one matrix for each class that occurs, in the order of the class names. Throws InvalidInput
  /// otherwise.
  /// `stop` is the worst of the means.
  explicit MdmClassifier(const Dataset& means, const MeanOptions& options = {}, std::optional<Mean::Stop> stop = {});

  const Dataset& means() const { return means_; }
  const Comparison& comparison() const { return comparison_; }
  Index dim() const { return means_.dim(); }
  /// Whether all class means converged; nothing for a classifier that was not trained here but loaded.
  std::optional<Mean::Stop> stop() const { return stop_; }

 private:
  friend struct detail::Inside;

  Dataset means_;
  Comparison comparison_;
  std::optional<Mean::Stop> stop_;
  std::shared_ptr<const ComparedBatch> compared_;
};

/// Tolerance of class means: distances to them have ten digits, and most means take one iteration less than by default.
inline constexpr double class_mean_tolerance = 1e-11;

/// The means are weighted by the weights of the training set. Throws InvalidInput if it has no labels or the options
/// have weights too, and as `mean` does.
MdmClassifier train_mdm(const Dataset& train, const MeanOptions& options = {.tolerance = class_mean_tolerance});

/// Predicts the class with the nearest mean; ties go to the first class. Scores are the softmax of minus the squared
/// distances (minus the divergences for Stein). Throws InvalidInput if the matrices have another size.
Prediction predict(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// The mean of each class in the space of a kernel. The squared distance of phi(X) from the mean of class c is, up to a
/// constant, minus the score 2 mean_{j in c} k(X, X_j) - mean_{j, j' in c} k(X_j, X_j').
class MeanClassifier {
 public:
  struct Options {
    /// Of the kernel exp(-theta d^2), any value above 0; default: the learned kernel's theta, or 1.
    std::optional<double> theta = {};
    PairOptions pairs = {};
  };

  const Comparison& comparison() const;
  const Dataset& training_set() const;
  double theta() const;
  Index dim() const { return training_set().dim(); }

 private:
  friend struct detail::Inside;
  /// Throws InvalidInput unless the parts match, all numbers are finite, and theta and scale are above 0.
  explicit MeanClassifier(detail::MeanParts parts, int threads = 0);

  std::shared_ptr<const detail::MeanParts> parts_;
  std::shared_ptr<const ComparedBatch> compared_;
};

/// Throws InvalidInput if the training set has no labels, if theta is not finite and above 0, or if the comparison is
/// for matrices of another size.
MeanClassifier train_mean(const Comparison& comparison, const Dataset& train,
                          const MeanClassifier::Options& options = {});
MeanClassifier train_mean(const LearnedKernel& kernel, const Dataset& train,
                          const MeanClassifier::Options& options = {});

/// Predicts the class with the largest score; ties go to the first class. Scores are the softmax of score / scale.
/// Throws InvalidInput if the matrices have another size.
Prediction predict(const MeanClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// A linear model on the tangent space at the mean of the training set.
class TangentClassifier {
 public:
  const TangentSpace& space() const;
  /// The classes that occur, in ascending order, with the names of all.
  const Labels& classes() const;
  /// Whether it is made of support vector machines, one per pair of classes; otherwise it is logistic regression.
  bool is_pairwise() const;
  Index dim() const { return space().dim(); }

 private:
  friend struct detail::Inside;
  /// Throws InvalidInput unless the parts match and all numbers are finite.
  explicit TangentClassifier(detail::TangentParts parts);

  std::shared_ptr<const detail::TangentParts> parts_;
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
