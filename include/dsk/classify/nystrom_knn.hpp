#pragma once

#include <dsk/approximate/nystrom.hpp>
#include <dsk/classify/knn.hpp>

namespace dsk {

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

}  // namespace dsk
