#pragma once

#include <dsk/metric/metric.hpp>

namespace dsk::detail {

/// Squared distances are values * 2^exponent; the exponent is even.
struct SquaredDistances {
  Matrix values;
  int exponent = 0;
};

/// Of x with itself if y is null.
using SquaredDistance = SquaredDistances (*)(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options);

SquaredDistances airm(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options);
SquaredDistances cholesky(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options);
SquaredDistances euclidean(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options);
SquaredDistances log_euclidean(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options);
SquaredDistances power_euclidean(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options);
SquaredDistances stein(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options);

}  // namespace dsk::detail
