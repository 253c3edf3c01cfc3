#include <algorithm>
#include <cmath>
#include <limits>

#include "cluster/space.hpp"

namespace dsk::detail {

std::vector<double> silhouettes(const Matrix& distances, std::span<const int> labels, Index clusters) {
  Eigen::VectorXd sizes = Eigen::VectorXd::Zero(clusters);
  for (const int label : labels) sizes[label] += 1;
  std::vector<double> values(labels.size(), 0);
  Eigen::VectorXd sums(clusters);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (sizes[labels[i]] < 2) continue;
    sums.setZero();
    for (std::size_t j = 0; j < labels.size(); ++j)
      sums[labels[j]] += distances(static_cast<Index>(i), static_cast<Index>(j));
    const double own = sums[labels[i]] / (sizes[labels[i]] - 1);
    double other = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < clusters; ++c)
      if (c != labels[i] && sizes[c] > 0) other = std::min(other, sums[c] / sizes[c]);
    const double larger = std::max(own, other);
    values[i] = std::isfinite(larger) && larger > 0 ? (other - own) / larger : 0;
  }
  return values;
}

}  // namespace dsk::detail
