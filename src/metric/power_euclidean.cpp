#include <fmt/format.h>

#include <cmath>

#include "metric/flat.hpp"

namespace dsk::detail {

SquaredDistances power_euclidean(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  const double zeta = options.zeta;
  if (zeta == 0 || !std::isfinite(zeta))
    throw InvalidInput(fmt::format("zeta {} of the power-Euclidean metric must be finite and not 0", zeta));
  return flat_distances(x, y, options, [&](const SpdBatch& batch) {
    return flatten_spectral(
        batch, [zeta](double value) { return std::pow(value, zeta) / zeta; }, options.pairs.threads);
  });
}

}  // namespace dsk::detail
