#pragma once

#include <functional>
#include <optional>

#include "metric/metrics.hpp"

namespace dsk::detail {

/// The coordinates of a metric that is Euclidean after one map per matrix, nothing for the others. Throws InvalidInput,
/// naming the matrix, if they leave the range of double.
std::optional<Matrix> flat_coordinates(const SpdBatch& batch, const DistanceOptions& options);

/// Squared Euclidean distances between rows, of x with itself if y is null.
SquaredDistances flat_distances(const Matrix& x, const Matrix* y, const PairOptions& options);

/// Writes a symmetric matrix as d (d + 1) / 2 numbers of the same Frobenius norm.
void flatten(const MatrixView& symmetric, Eigen::Ref<Eigen::RowVectorXd> row);

/// The flattened U f(lam) U' of every matrix X = U lam U'.
Matrix flatten_spectral(const SpdBatch& batch, const std::function<double(double)>& f, int threads);

}  // namespace dsk::detail
