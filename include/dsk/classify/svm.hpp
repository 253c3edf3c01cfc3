#pragma once

#include <dsk/classify/pairwise_svm.hpp>
#include <dsk/classify/prediction.hpp>
#include <dsk/kernel/comparison.hpp>

#include <cstdint>

namespace dsk {

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

}  // namespace dsk
