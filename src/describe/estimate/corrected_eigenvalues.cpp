#include <cmath>
#include <limits>

#include "describe/estimate/estimators.hpp"

namespace dsk::detail {
namespace {

/// lam_k - mu, where mu is the root of (1/n) sum_i lam_i / (lam_i - mu) = 1 just below eigenvalue k. Solves for the
/// difference, so that it is accurate however close the root is.
double distance_to_root(const Eigen::VectorXd& eigenvalues, Index k, double degrees) {
  const double lam = eigenvalues[k];
  double low = 0, high = k + 1 < eigenvalues.size() ? lam - eigenvalues[k + 1] : lam;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    double sum = 0;
    for (const double other : eigenvalues) sum += other / (other - lam + middle);
    (sum > degrees ? low : high) = middle;
  }
}

/// Squared error of the least-squares line through values[first], ..., values[last - 1] against their indices.
double line_error(const Eigen::VectorXd& values, Index first, Index last) {
  const auto count = static_cast<double>(last - first);
  const Eigen::VectorXd y = values.segment(first, last - first).array() - values.segment(first, last - first).mean();
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(last - first, -(count - 1) / 2, (count - 1) / 2);
  return (y - x * (x.dot(y) / x.squaredNorm())).squaredNorm();
}

/// The number of large eigenvalues: the split for which two lines, of at least two points each, fit the logarithms
/// best. Fewer than four eigenvalues are not split.
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

Eigen::VectorXd mestre(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const auto n = static_cast<double>(degrees);
  Eigen::VectorXd result(eigenvalues.size());
  // There is no root between equal eigenvalues: they share the estimate of the last of them.
  for (Index first = 0; first < eigenvalues.size();) {
    Index last = first;
    while (last + 1 < eigenvalues.size() && eigenvalues[last + 1] == eigenvalues[first]) ++last;
    const Index equal = last - first + 1;
    result.segment(first, equal).setConstant(n * distance_to_root(eigenvalues, last, n) / static_cast<double>(equal));
    first = last + 1;
  }
  return result;
}

/// The precision matrix is (n - d - 1) S^-1 + (d^2 + d - 2) / tr(S) I, where S is the scatter matrix with n degrees of
/// freedom.
Eigen::VectorXd efron_morris(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const auto n = static_cast<double>(degrees), d = static_cast<double>(eigenvalues.size());
  const double common = (d * d + d - 2) / (n * eigenvalues.sum());
  return ((n - d - 1) / (n * eigenvalues.array()) + common).inverse();
}

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
