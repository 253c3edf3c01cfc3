#include <algorithm>

#include "describe/estimate/estimators.hpp"

namespace dsk::detail {

Matrix ledoit_wolf(const Moments& moments) {
  const auto n = static_cast<double>(moments.samples), d = static_cast<double>(moments.dim());
  const Matrix x = moments.scatter / n;
  const double mean_variance = x.trace() / d;
  const double distance = (x.squaredNorm() - d * mean_variance * mean_variance) / d;
  const double noise = std::min((moments.fourth_powers / n - x.squaredNorm()) / (n * d), distance);
  return shrunk(x, noise > 0 ? noise / distance : 0);
}

}  // namespace dsk::detail
