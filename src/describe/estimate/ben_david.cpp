#include <cmath>
#include <limits>

#include "describe/estimate/estimators.hpp"

namespace dsk::detail {
namespace {

/// Squared error of the best line through values[first], ..., values[last - 1] against their positions.
double line_error(const Eigen::VectorXd& values, Index first, Index last) {
  const auto count = static_cast<double>(last - first);
  const Eigen::VectorXd y = values.segment(first, last - first).array() - values.segment(first, last - first).mean();
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(last - first, -(count - 1) / 2, (count - 1) / 2);
  return (y - x * (x.dot(y) / x.squaredNorm())).squaredNorm();
}

/// How many eigenvalues are the large ones: where two lines fit their logarithms best, two points each at least. Fewer
/// than four are not split.
Index large_count(const Eigen::VectorXd& eigenvalues) {
  const Index dim = eigenvalues.size();
  const Eigen::VectorXd logs = eigenvalues.array().log();
  Index best = dim;
  double least = std::numeric_limits<double>::infinity();
  for (Index split = 2; split + 2 <= dim; ++split) {
    const double error = line_error(logs, 0, split) + line_error(logs, split, dim);
    if (error < least) {
      least = error;
      best = split;
    }
  }
  return best;
}

}  // namespace

Eigen::VectorXd ben_david(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const Index dim = eigenvalues.size();
  const auto n = static_cast<double>(degrees);
  const double root = std::sqrt(static_cast<double>(dim) / n);
  Eigen::VectorXd result(dim);
  for (Index k = 0; k < dim; ++k) {
    const double low = eigenvalues[k] * (1 - root) * (1 - root), high = eigenvalues[k] * (1 + root) * (1 + root);
    const auto multiplicity = (eigenvalues.array() >= low && eigenvalues.array() <= high).count();
    const double g = static_cast<double>(multiplicity) / n;
    result[k] = eigenvalues[k] * (1 + g) / ((1 - g) * (1 - g));
  }
  const Index large = large_count(eigenvalues);
  result.head(large) *= eigenvalues.head(large).sum() / result.head(large).sum();
  if (large < dim) result.tail(dim - large) *= eigenvalues.tail(dim - large).sum() / result.tail(dim - large).sum();
  return result;
}

}  // namespace dsk::detail
