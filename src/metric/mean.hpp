#pragma once

#include "metric/metric.hpp"
#include "metric/search.hpp"

namespace dsk::detail {

/// The mean of every column, by the weights.
Eigen::RowVectorXd weighted_row(const Eigen::Ref<const Matrix>& rows, const std::vector<double>& weights, int threads);

Matrix arithmetic_mean(const WeightedBatch& batch, int threads);

/// The matrices of positive weight; without weights, all equally. Throws InvalidInput for weights that do not fit.
WeightedBatch weighted_batch(const SpdBatch& x, const std::vector<double>& weights);

/// The equation of the affine invariant mean, sum_i w_i log(W X_i W') = 0, at the candidate L L' with W = L^-1.
Residual log_residual(const WeightedBatch& batch, const Matrix& factor, const Matrix& w, int threads);

/// M = L L' and L^-1, for any units of the coordinates.
struct Whitening {
  Matrix factor;
  Matrix inverse;
};
Whitening whitening(const Matrix& matrix);

/// A mean as factor * factor'.
struct Factored {
  Matrix factor;
  SearchResult search;
  Mean mean() const;
};

/// The mean by the affine invariant metric. The first of the iterations goes from `start`.
Factored airm_factor(const WeightedBatch& batch, const MeanOptions& options, const Whitening& start);

}  // namespace dsk::detail
