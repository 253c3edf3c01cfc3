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

/// What the function of a metric that is not Euclidean after a map computes.
enum class PairValues {
  squared,    ///< squared distances
  distances,  ///< the distances themselves
  directed    ///< the same, where the distance of X from Y is not that of Y from X
};

/// The distances, or their squares, as numbers of their own.
Matrix finished(SquaredDistances distances, bool squared, int threads);

/// Of x with itself if y is null.
using PairDistance = Matrix (*)(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);
Matrix kullback(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);
Matrix kullback_right(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);
Matrix kullback_sym(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);

/// Rows of numbers, one row per matrix, whose Euclidean distances are the metric's.
using Coordinates = Matrix (*)(const SpdBatch& batch, const DistanceOptions& options);
Matrix cholesky(const SpdBatch& batch, const DistanceOptions& options);
Matrix euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix harmonic(const SpdBatch& batch, const DistanceOptions& options);
Matrix log_cholesky(const SpdBatch& batch, const DistanceOptions& options);
Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix power_euclidean(const SpdBatch& batch, const DistanceOptions& options);

/// The matrix that has these coordinates.
using FromCoordinates = Matrix (*)(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_harmonic(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_log_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
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
Mean kullback_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean kullback_right_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean kullback_sym_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean stein_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean wasserstein_mean(const WeightedBatch& batch, const MeanOptions& options);

/// How the mean by a metric is computed: by one of the two, or not at all.
struct MeanMethod {
  FromCoordinates from_coordinates = nullptr;
  IterativeMean iterative = nullptr;
};
MeanMethod mean_method_of(Metric metric);

/// The coordinates of a metric that is Euclidean after one map per matrix, nothing for the others. Throws InvalidInput,
/// naming the matrix, if they leave the range of double.
std::optional<Matrix> flat_coordinates(const SpdBatch& batch, const DistanceOptions& options);

/// The squared distances by a metric that is not Euclidean after a map, of x with itself if y is null.
Matrix squared_pair_distances(Metric metric, const SpdBatch& x, const SpdBatch* y, const PairOptions& options);

/// Squared Euclidean distances between rows, of x with itself if y is null.
SquaredDistances flat_distances(const Matrix& x, const Matrix* y, const PairOptions& options);

/// Writes a symmetric matrix as d (d + 1) / 2 numbers of the same Frobenius norm.
void flatten(const MatrixView& symmetric, Eigen::Ref<Eigen::RowVectorXd> row);

/// The matrix that `flatten` makes this row of.
Matrix unflatten(const Eigen::RowVectorXd& row, Index dim);

/// The flattened U f(lam) U' of every matrix X = U lam U'.
Matrix flatten_spectral(const SpdBatch& batch, const std::function<double(double)>& f, int threads);

}  // namespace dsk::detail
