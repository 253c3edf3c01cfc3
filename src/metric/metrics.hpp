#pragma once

#include <dsk/metric/metric.hpp>

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
Matrix airm(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);
Matrix stein(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);

/// Rows of numbers, one row per matrix, whose Euclidean distances are the metric's.
using Coordinates = Matrix (*)(const SpdBatch& batch, const DistanceOptions& options);
Matrix cholesky(const SpdBatch& batch, const DistanceOptions& options);
Matrix euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix power_euclidean(const SpdBatch& batch, const DistanceOptions& options);

}  // namespace dsk::detail
