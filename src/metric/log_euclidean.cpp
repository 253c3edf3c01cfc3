#include <cmath>

#include "metric/metric.hpp"

namespace dsk::detail {

Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options) {
  return flatten_spectral(
      batch, [](double value) { return std::log(value); }, options.pairs.threads);
}

}  // namespace dsk::detail
