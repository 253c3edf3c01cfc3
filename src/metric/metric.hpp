#pragma once

#include <dsk/mean.hpp>
#include <dsk/metric.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace dsk::detail {

/// Squared distances are values * 2^exponent; the exponent is even.
struct SquaredDistances {
  Matrix values;
  int exponent = 0;
};

/// The distances, or their squares, as numbers of their own.
Matrix finished(SquaredDistances distances, bool squared, int threads);

/// Of x with itself if y is null.
using SquaredDistance = Matrix (*)(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);

/// Rows of numbers, one row per matrix, whose Euclidean distances are the metric's.
using Coordinates = Matrix (*)(const SpdBatch& batch, const DistanceOptions& options);
Matrix cholesky(const SpdBatch& batch, const DistanceOptions& options);
Matrix euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix harmonic(const SpdBatch& batch, const DistanceOptions& options);
Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix power_euclidean(const SpdBatch& batch, const DistanceOptions& options);

/// The matrix that has these coordinates.
using FromCoordinates = Matrix (*)(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_harmonic(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_log_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_power_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);

/// A batch with one positive weight per matrix; they sum to 1.
struct WeightedBatch {
  SpdBatch x;
  std::vector<double> weights;
};

/// The mean by a metric that is not Euclidean after a map.
using IterativeMean = Mean (*)(const WeightedBatch& batch, const MeanOptions& options);
Mean airm_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean stein_mean(const WeightedBatch& batch, const MeanOptions& options);

/// How the mean by a metric is computed: by one of the two.
struct MeanMethod {
  FromCoordinates from_coordinates = nullptr;
  IterativeMean iterative = nullptr;
};
MeanMethod mean_method_of(Metric metric);

/// The coordinates of a metric that is Euclidean after one map per matrix, nothing for the others. Throws InvalidInput,
/// naming the matrix, if they leave the range of double.
std::optional<Matrix> flat_coordinates(const SpdBatch& batch, const DistanceOptions& options);

/// The squared distances of a metric that is not Euclidean after a map, or null.
SquaredDistance pair_distance_of(Metric metric);

/// Squared Euclidean distances between rows, of x with itself if y is null.
SquaredDistances flat_distances(const Matrix& x, const Matrix* y, const PairOptions& options);

/// Writes a symmetric matrix as d (d + 1) / 2 numbers of the same Frobenius norm.
void flatten(const MatrixView& symmetric, Eigen::Ref<Eigen::RowVectorXd> row);

/// The matrix that `flatten` makes this row of.
Matrix unflatten(const Eigen::RowVectorXd& row, Index dim);

/// All matrices, one a row.
Matrix flatten(const MatrixStack& symmetric, int threads);

}  // namespace dsk::detail
