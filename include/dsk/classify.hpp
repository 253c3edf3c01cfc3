#pragma once

#include <dsk/engine.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <cstdint>
#include <variant>
#include <vector>

namespace dsk {

/// What a classifier says of new matrices.
struct Prediction {
  Labels labels;  ///< one per matrix, with the names of all classes of the training set
  Matrix scores;  ///< (matrices, classes' names); rows sum to 1
};

/// The share of labels that are right. Classes are the same if their names are, so that one the classifier never saw
/// is always wrong. Throws InvalidInput if the numbers differ or there are none.
double accuracy(const Labels& predicted, const Labels& truth);

struct KnnOptions {
  Index neighbours = 5;
  int threads = 0;  ///< for training; 0: all cores
};

/// The training set, ready to be compared with new matrices.
class KnnClassifier {
 public:
  /// Throws InvalidInput for a training set without labels, fewer than 1 neighbours, or a comparison that does not fit.
  KnnClassifier(Comparison comparison, const Dataset& train, const KnnOptions& options = {});

  const Comparison& comparison() const { return comparison_; }
  const Dataset& training_set() const { return train_; }
  Index neighbours() const { return neighbours_; }
  Index dim() const { return train_.dim(); }
  const ComparedBatch& compared() const { return compared_; }
  /// With the Stein divergence, plain or learned; null otherwise.
  const NearestStein* nearest() const { return nearest_ ? &*nearest_ : nullptr; }

 private:
  Comparison comparison_;
  Dataset train_;
  Index neighbours_;
  ComparedBatch compared_;
  std::optional<NearestStein> nearest_;
};

KnnClassifier train_knn(const Comparison& comparison, const Dataset& train, const KnnOptions& options = {});
KnnClassifier train_knn(const LearnedKernel& kernel, const Dataset& train, const KnnOptions& options = {});

/// The class that most of the nearest matrices of the training set have; of classes with equally many votes that of the
/// nearest among them, of equally near matrices the first. Scores are shares of the votes. Throws InvalidInput for
/// matrices of another size than the training set's.
Prediction predict(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// Predicts one matrix after the other in the calling thread. With the Stein divergence, plain or learned up to d =
/// 128, it asks for no memory after it is made.
class KnnPredictor {
 public:
  /// The model must outlive it.
  explicit KnnPredictor(const KnnClassifier& model);
  explicit KnnPredictor(KnnClassifier&&) = delete;
  ~KnnPredictor();
  KnnPredictor(KnnPredictor&&) noexcept;
  KnnPredictor& operator=(KnnPredictor&&) noexcept;

  /// The number of the class among model.training_set().labels().names(), chosen as by `predict`. Throws InvalidInput
  /// for a matrix of another size or one that is not symmetric positive definite.
  int operator()(const MatrixView& matrix);

 private:
  class Workspace;
  std::unique_ptr<Workspace> workspace_;
};

/// The share of matrices whose class, by its name, is predicted. Throws InvalidInput for data without labels.
double accuracy(const KnnClassifier& model, const Dataset& data, const PairOptions& options = {});

/// How a support vector machine pays for points on the wrong side.
enum class SoftMargin {
  linear,  ///< C times the sum of slacks: the usual machine
  squared  ///< C/2 times the sum of squared slacks, as in the paper: K + I/C with a hard margin
};

struct SvmOptions {
  double c = 1;
  SoftMargin margin = SoftMargin::linear;
  std::vector<double> class_weights = {};  ///< factors of C, for the classes in ascending order; empty: all 1
  int threads = 0;
};

/// Support vector machines for all pairs of classes over a kernel matrix; the class that wins most pairs is the answer.
class PairwiseSvm {
 public:
  /// `kernel` is the training set's, `classes` any numbers, at least two different ones. Throws InvalidInput for a C
  /// that is not finite and above 0, kernel values that are not finite, or sizes that differ.
  PairwiseSvm(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options = {});
  /// One trained before. Throws InvalidInput unless classes ascend, sizes fit and all is finite.
  PairwiseSvm(std::vector<int> classes, Matrix coefficients, Eigen::RowVectorXd offsets);

  /// The classes of new points, each a row of kernel values with the training set. Of classes with equally many wins
  /// the first wins.
  std::vector<int> predict(const Matrix& kernel_to_training, int threads = 0) const;

  /// Decision values, one column per pair of classes (0, 1), (0, 2), ..., (1, 2), ...: positive for the first.
  Matrix decisions(const Matrix& kernel_to_training) const;

  /// The share of the pairs of classes that each class wins, by decision values; (points, classes).
  Matrix wins(const Matrix& decisions, int threads = 0) const;
  /// The class with most wins, the first of several.
  std::vector<int> winners(const Matrix& wins) const;

  const std::vector<int>& classes() const { return classes_; }
  const Matrix& coefficients() const { return coefficients_; }
  const Eigen::RowVectorXd& offsets() const { return offsets_; }
  /// Positions in the training set of the points that some machine uses.
  std::vector<Index> support() const;
  /// The same machines for kernel values with the support alone.
  PairwiseSvm on_support() const;

 private:
  std::vector<int> classes_;  ///< the different ones, ascending
  Matrix coefficients_;       ///< (training set, pairs of classes)
  Eigen::RowVectorXd offsets_;
};

struct SvmTraining {
  std::optional<double> theta = {};  ///< of the kernel exp(-theta d^2); by default the learned kernel's, or 1
  double c = 1;
  SoftMargin margin = SoftMargin::linear;
  bool balanced = false;                   ///< weigh classes by 1 / their size, 1 in the mean over the training set
  std::vector<double> class_weights = {};  ///< factors of C in the order of the labels' names; not with `balanced`
  bool probabilities = false;              ///< calibrate: five more machines for each pair of classes
  bool allow_indefinite = false;           ///< let through what is not a kernel for every sample
  std::uint64_t seed = 0;                  ///< of the folds of the calibration
  PairOptions pairs = {};
};

/// Platt's P(first class of the pair | decision value f) = 1 / (1 + exp(slope f + intercept)).
struct Sigmoid {
  double slope = 0;
  double intercept = 0;
  double operator()(double decision) const;
};

/// Support vector machines for all pairs of classes, with the matrices that they use.
class SvmClassifier {
 public:
  struct Parts {
    Comparison comparison;
    Dataset support;      ///< with labels
    PairwiseSvm machine;  ///< its classes are codes of the labels
    SvmTraining training;
    std::vector<Sigmoid> sigmoids = {};  ///< one for each pair of classes, or none
    /// Of the training set's kernel matrix; only known where theta does not promise it to be above 0. Below 0, the
    /// machines are trained on the nearest matrix without negative eigenvalues.
    std::optional<double> smallest_eigenvalue = {};
  };
  /// Throws InvalidInput unless the parts fit together.
  explicit SvmClassifier(Parts parts, int threads = 0);

  const Comparison& comparison() const { return parts_.comparison; }
  const Dataset& support() const { return parts_.support; }
  const PairwiseSvm& machine() const { return parts_.machine; }
  /// As asked for, with theta and the class weights that were used.
  const SvmTraining& training() const { return parts_.training; }
  const std::vector<Sigmoid>& sigmoids() const { return parts_.sigmoids; }
  bool has_probabilities() const { return !parts_.sigmoids.empty(); }
  std::optional<double> smallest_eigenvalue() const { return parts_.smallest_eigenvalue; }
  double theta() const { return *parts_.training.theta; }
  Index dim() const { return parts_.support.dim(); }
  const ComparedBatch& compared() const { return compared_; }

 private:
  Parts parts_;
  ComparedBatch compared_;
};

/// Throws InvalidInput for a training set without labels or with fewer than two classes, a theta that gives no kernel
/// (unless allowed), and other options out of range.
SvmClassifier train_svm(const Comparison& comparison, const Dataset& train, const SvmTraining& options = {});
SvmClassifier train_svm(const LearnedKernel& kernel, const Dataset& train, const SvmTraining& options = {});

/// The class that wins most pairs, the first of several. Scores are calibrated probabilities if the model has them,
/// which may favour another class, and shares of pairs won otherwise. Throws InvalidInput for matrices of another size.
Prediction predict(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// Decision values, as PairwiseSvm::decisions.
Matrix decision_values(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options = {});

/// The share of matrices whose class, by its name, is predicted. Throws InvalidInput for data without labels.
double accuracy(const SvmClassifier& model, const Dataset& data, const PairOptions& options = {});

/// Nearest neighbours by Euclidean distance in the features of a map, which stands for sqrt(2 - 2 k(X, Y)). Keeps the
/// features of the training set, 8 n m bytes, and the landmarks, but no other matrices. A comparison takes m
/// multiplications whatever d: many fewer than the divergence of large matrices, more than that of small ones.
class NystromKnn {
 public:
  /// Throws InvalidInput for a training set without labels, fewer than 1 neighbours, or matrices of another size.
  NystromKnn(const NystromMap& map, const Dataset& train, const KnnOptions& options = {});
  /// One trained before. Throws InvalidInput unless the parts fit together and are finite.
  NystromKnn(NystromMap map, Matrix features, Labels labels, Index neighbours);

  const NystromMap& map() const { return map_; }
  const Comparison& comparison() const { return map_.comparison(); }
  /// Of the training set, one row each.
  const Matrix& features() const { return features_; }
  const Labels& labels() const { return labels_; }
  Index neighbours() const { return neighbours_; }
  Index dim() const { return map_.dim(); }
  /// Mean of 1 - |phi(X)|^2 over the training set.
  double residual_share() const;

 private:
  NystromMap map_;
  Matrix features_;
  Labels labels_;
  Index neighbours_;
};

/// As for KnnClassifier, of which this is the approximation.
Prediction predict(const NystromKnn& model, const SpdBatch& x, const PairOptions& options = {});
double accuracy(const NystromKnn& model, const Dataset& data, const PairOptions& options = {});

/// Linear support vector machines in the features of a map, and how their training went.
struct NystromSvm {
  /// w'phi(X) + b is a sum over kernel values with the landmarks, so this is a machine with the landmarks as support.
  SvmClassifier classifier;
  double residual_share = 0;  ///< mean of 1 - |phi(X)|^2 over the training set
  Index unfinished = 0;       ///< pairs of classes whose machine was stopped by the limit of passes
};

/// Trains a machine for each pair of classes, as train_svm does, but in features, in single precision: 4 n m bytes of
/// memory and time proportional to n m instead of n^2. The offset b counts like one more weight, as in LIBLINEAR.
/// The map's landmarks need labels with the training set's names. Throws InvalidInput as train_svm, for `theta` other
/// than the map's, and for `probabilities`, which are not calibrated here.
NystromSvm train_nystrom_svm(const NystromMap& map, const Dataset& train, const SvmTraining& options = {});

/// What an approximation costs, on samples small enough for exact computation.
struct ApproximationCheck {
  Index pairs_of = 0;        ///< matrices, drawn at random, whose kernel values of all pairs are compared
  double mean_error = 0;     ///< of |phi(X)'phi(Y) - k(X, Y)| over different X and Y
  double largest_error = 0;  ///< of the same
  Index trained_on = 0;      ///< matrices, the classes balanced, that both classifiers are trained on
  Index predicted = 0;       ///< other matrices, that both predict
  double exact = 0;          ///< accuracy of the exact classifier
  double approximate = 0;    ///< accuracy of the one in features, with the same settings
  double agreement = 0;      ///< share of matrices that get the same class from both
};

struct ApproximationSamples {
  Index pairs_of = 500;
  Index trained_on = 2000;  ///< no more than half of the data set is trained on
  Index predicted = 1000;
  std::uint64_t seed = 0;
  int threads = 0;
};

/// Compares the map's kernel with the exact one, and classifiers over both. Throws InvalidInput as training does, and
/// for fewer than two matrices.
ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const SvmTraining& training,
                                       const ApproximationSamples& samples = {});
ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const KnnOptions& training,
                                       const ApproximationSamples& samples = {});

/// Share of matrices whose nearest other one, by a symmetric matrix of distances, has the same class. Of several
/// equally near ones the first counts. Throws InvalidInput if labels and distances differ in number or there are fewer
/// than two.
double leave_one_out_accuracy(const Matrix& distances, const Labels& labels);

/// Any trained classifier.
using Model = std::variant<KnnClassifier, SvmClassifier, NystromKnn>;

/// "knn" or "svm", whether exact or in features.
std::string_view kind(const Model& model);
/// The size of the matrices it is for.
Index dim(const Model& model);
const Comparison& comparison(const Model& model);
/// Of the matrices it keeps, or of those whose features it keeps.
const Labels& labels(const Model& model);
/// The names of the classes, in the order of the columns of scores.
const std::vector<std::string>& class_names(const Model& model);

/// As for the classifier it holds.
Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options = {});
double accuracy(const Model& model, const Dataset& data, const PairOptions& options = {});

/// How the features of an approximate model were made.
struct ApproximationOrigin {
  Index landmarks = 0;
  std::string choice = {};    ///< of the landmarks, by its name
  double residual_share = 0;  ///< over the training set
  Index chosen_on = 0;        ///< matrices that the kernel and the settings were chosen on
  std::uint64_t seed = 0;

  bool operator==(const ApproximationOrigin&) const = default;
};

/// How a model came to be: kept with it for readers, not needed for using it. In UTF-8.
struct ModelOrigin {
  std::string repair = {};     ///< of the training set's matrices, as it was asked for
  std::string criterion = {};  ///< that its kernel was learned by; empty: not learned
  Index samples = 0;           ///< in the training set
  std::optional<ApproximationOrigin> approximation = {};

  bool operator==(const ModelOrigin&) const = default;
};

struct SavedModel {
  Model model;
  ModelOrigin origin = {};
};

}  // namespace dsk
