#include <cmath>

#include "metric/flat.hpp"

namespace dsk::detail {

SquaredDistances log_euclidean(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  return flat_distances(x, y, options, [&](const SpdBatch& batch) {
    return flatten_spectral(
        batch, [](double value) { return std::log(value); }, options.pairs.threads);
  });
}

}  // namespace dsk::detail
