#pragma once

#include <dsk/kernel/learned_kernel.hpp>
#include <dsk/metric/metric.hpp>

#include <optional>
#include <variant>

namespace dsk {

/// How a classifier compares matrices.
struct Comparison {
  Metric metric = Metric::stein;
  double zeta = 0.5;                          ///< exponent of the power-Euclidean metric
  std::optional<LearnedKernel> learned = {};  ///< adjusts the matrices first; only with the Stein divergence
};

/// Squared distances of all pairs of x with x or of x with y. Throws InvalidInput for a learned kernel of matrices of
/// another size or with another metric than Stein.
Matrix squared_distances(const Comparison& comparison, const SpdBatch& x, const PairOptions& options = {});
Matrix squared_distances(const Comparison& comparison, const SpdBatch& x, const SpdBatch& y,
                         const PairOptions& options = {});

/// Matrices for which all that a comparison does once per matrix is done, to be compared many times: their eigenvalues
/// are adjusted, or they are mapped to where the metric is Euclidean.
class ComparedBatch {
 public:
  ComparedBatch(const Comparison& comparison, const SpdBatch& batch, int threads = 0);

  Index size() const;
  Index dim() const { return dim_; }
  /// Those from `first` on.
  ComparedBatch slice(Index first, Index count) const;
  /// The adjusted matrices, or null if the metric is Euclidean after its map.
  const SpdBatch* matrices() const { return std::get_if<SpdBatch>(&points_); }
  /// The mapped matrices as rows, or null.
  const Matrix* coordinates() const { return std::get_if<Matrix>(&points_); }
  Metric metric() const { return metric_; }

 private:
  ComparedBatch(Metric metric, Index dim, std::variant<SpdBatch, Matrix> points);

  Metric metric_;
  Index dim_;
  std::variant<SpdBatch, Matrix> points_;
};

/// The same, of batches made by equal comparisons. Throws InvalidInput if their sizes or metrics differ.
Matrix squared_distances(const ComparedBatch& x, const PairOptions& options = {});
Matrix squared_distances(const ComparedBatch& x, const ComparedBatch& y, const PairOptions& options = {});

}  // namespace dsk
