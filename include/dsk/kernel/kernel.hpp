#pragma once

#include <dsk/metric/metric.hpp>

namespace dsk {

struct KernelOptions {
  Metric metric = Metric::stein;
  double theta = 1;
  double zeta = 0.5;              ///< exponent of the power-Euclidean metric
  bool allow_indefinite = false;  ///< let through what is not a kernel for every sample
  PairOptions pairs = {};
};

/// Whether exp(-theta d^2) is positive definite for every sample of d x d matrices: for Stein theta in
/// {1/2, 1, ..., (d-1)/2} or above (d-1)/2, never for AIRM, any positive theta for the others.
bool is_valid_theta(Metric metric, double theta, Index dim);

/// Throws InvalidInput, listing the valid values, unless theta is finite, above 0, and valid or allowed not to be.
void check_theta(Metric metric, double theta, Index dim, bool allow_indefinite = false);

/// k(X, Y) = exp(-theta d(X, Y)^2). Throws InvalidInput, listing the valid values, if that is not a kernel.
Matrix kernel_matrix(const SpdBatch& x, const KernelOptions& options = {});
Matrix kernel_matrix(const SpdBatch& x, const SpdBatch& y, const KernelOptions& options = {});

}  // namespace dsk
