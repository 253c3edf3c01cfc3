#pragma once

#include "metric/metric.hpp"
#include "metric/search.hpp"

namespace dsk::detail {

/// The mean of every column, by the weights.
Eigen::RowVectorXd weighted_row(const Eigen::Ref<const Matrix>& rows, const std::vector<double>& weights, int threads);

Matrix arithmetic_mean(const WeightedBatch& batch, int threads);

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
