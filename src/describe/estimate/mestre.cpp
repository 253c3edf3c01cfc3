#include "describe/estimate/estimators.hpp"

namespace dsk::detail {
namespace {

/// lam_k - mu for the root mu of (1/n) sum_i lam_i / (lam_i - mu) = 1 right below eigenvalue k. The difference is what
/// is searched for, so that it is exact to the last digits however close the root lies.
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

}  // namespace

Eigen::VectorXd mestre(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const auto n = static_cast<double>(degrees);
  Eigen::VectorXd result(eigenvalues.size());
  // Between equal eigenvalues there is no room for a root: they share what the last of them has.
  for (Index first = 0; first < eigenvalues.size();) {
    Index last = first;
    while (last + 1 < eigenvalues.size() && eigenvalues[last + 1] == eigenvalues[first]) ++last;
    const Index equal = last - first + 1;
    result.segment(first, equal).setConstant(n * distance_to_root(eigenvalues, last, n) / static_cast<double>(equal));
    first = last + 1;
  }
  return result;
}

}  // namespace dsk::detail
