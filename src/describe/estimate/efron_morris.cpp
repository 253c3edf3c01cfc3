#include "describe/estimate/estimators.hpp"

namespace dsk::detail {

/// With S the scatter matrix of n degrees of freedom, the precision is (n - d - 1) S^-1 + (d^2 + d - 2) / tr(S) I.
Eigen::VectorXd efron_morris(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const auto n = static_cast<double>(degrees), d = static_cast<double>(eigenvalues.size());
  const double common = (d * d + d - 2) / (n * eigenvalues.sum());
  return ((n - d - 1) / (n * eigenvalues.array()) + common).inverse();
}

}  // namespace dsk::detail
