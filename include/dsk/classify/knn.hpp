#pragma once

#include <dsk/classify/prediction.hpp>
#include <dsk/kernel/comparison.hpp>
#include <dsk/pairs/nearest.hpp>

namespace dsk {

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

}  // namespace dsk
