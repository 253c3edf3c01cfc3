#include <algorithm>

#include "describe/estimate/estimators.hpp"

namespace dsk::detail {

Matrix oas(const Moments& moments) {
  const auto n = static_cast<double>(moments.samples), d = static_cast<double>(moments.dim());
  const Matrix x = moments.scatter / n;
  const double mean_square = x.squaredNorm() / (d * d), mean_variance = x.trace() / d;
  const double above = mean_square + mean_variance * mean_variance;
  const double below = (n + 1) * (mean_square - mean_variance * mean_variance / d);
  return shrunk(x, below > 0 ? std::min(above / below, 1.0) : 1);
}

}  // namespace dsk::detail
