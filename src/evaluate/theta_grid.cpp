#include "evaluate/theta_grid.hpp"

#include <dsk/kernel.hpp>

#include <algorithm>
#include <cmath>

namespace dsk::detail {
namespace {

double median_above_diagonal(const Matrix& distances) {
  std::vector<double> values;
  for (Index i = 0; i < distances.rows(); ++i)
    for (Index j = i + 1; j < distances.cols(); ++j) values.push_back(distances(i, j));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<double> thetas_over_median(const Matrix& distances, const std::vector<double>& relative, Metric metric,
                                       Index dim, bool any) {
  const double median = median_above_diagonal(distances);
  std::vector<double> thetas;
  for (const double one : relative) {
    const double theta = median > 0 ? one / median : one;
    thetas.push_back(any || is_valid_theta(metric, theta, dim) ? theta : std::max(0.5, std::round(2 * theta) / 2));
  }
  return thetas;
}

}  // namespace dsk::detail
