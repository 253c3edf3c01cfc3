#pragma once

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <string_view>

namespace dsk {

/// Distances between SPD matrices: Table I of Zhang, Wang, Zhou & Li.
enum class Metric { airm, cholesky, euclidean, logeuclidean, powereuclidean, stein };

/// Reads a metric's name or alias ("riemann", "chol", "euclid", "logeuclid", "poweuclid", "logdet"); throws
/// InvalidInput.
Metric parse_metric(std::string_view text);
std::string_view name(Metric metric);

struct DistanceOptions {
  Metric metric = Metric::stein;
  bool squared = false;
  double zeta = 0.5;  ///< exponent of the power-Euclidean metric, not 0
  PairOptions pairs = {};
};

/// Distances of all pairs of x with x (symmetric to the bit, zero diagonal) or of x with y.
Matrix pairwise_distance(const SpdBatch& x, const DistanceOptions& options = {});
Matrix pairwise_distance(const SpdBatch& x, const SpdBatch& y, const DistanceOptions& options = {});

}  // namespace dsk
