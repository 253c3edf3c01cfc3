#include <cmath>

#include "metric/mean.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {

Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options) {
  return flatten_spectral(
      batch, [](double value) { return std::log(value); }, options.pairs.threads);
}

Matrix from_log_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  return exponential(unflatten(row, dim)).whole;
}

}  // namespace dsk::detail
