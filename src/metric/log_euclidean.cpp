#include "metric/mean.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {

Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options) {
  const int threads = options.pairs.threads;
  return flatten(spectral_function(SpectralFunction::logarithm, batch, threads), threads);
}

Matrix from_log_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  return exponential(unflatten(row, dim)).whole;
}

}  // namespace dsk::detail
