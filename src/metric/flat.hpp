#pragma once

#include <functional>

#include "metric/metrics.hpp"

namespace dsk::detail {

/// Rows of numbers, one row per matrix, whose Euclidean distances are the metric's.
using FlatMap = std::function<Matrix(const SpdBatch& batch)>;

/// Distances of a metric that is Euclidean after one map per matrix.
SquaredDistances flat_distances(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options,
                                const FlatMap& map);

/// Writes a symmetric matrix as d (d + 1) / 2 numbers of the same Frobenius norm.
void flatten(const MatrixView& symmetric, Eigen::Ref<Eigen::RowVectorXd> row);

/// The flattened U f(lam) U' of every matrix X = U lam U'.
Matrix flatten_spectral(const SpdBatch& batch, const std::function<double(double)>& f, int threads);

}  // namespace dsk::detail
