#include "classify/binary_svm.hpp"

#include <algorithm>
#include <limits>

#include "kernel/kernel.hpp"

namespace dsk::detail {

BinarySvm train_binary(Matrix kernel, std::span<const int> signs, double c, std::pair<double, double> weights,
                       SoftMargin margin) {
  const bool squared = margin == SoftMargin::squared;
  const MarginBounds costs{c * weights.first, c * weights.second};
  // min(1, C) times K + I/C has the same machine, with eta / min(1, C), and stays in LIBSVM's range for any C.
  const double factor = squared ? std::min({1.0, costs.positive, costs.negative}) : 1;
  if (squared) {
    kernel *= factor;
    for (Index i = 0; i < kernel.rows(); ++i)
      kernel(i, i) += factor / (signs[static_cast<std::size_t>(i)] > 0 ? costs.positive : costs.negative);
  }
  const MarginDual dual = solve_margin(kernel, signs, squared ? MarginBounds{} : costs);
  BinarySvm result{factor * dual.eta, dual.offset};
  for (Index i = 0; i < result.coefficients.size(); ++i) result.coefficients[i] *= signs[static_cast<std::size_t>(i)];
  return result;
}

PairMembers members_of_pair(const std::vector<int>& classes, int first, int second) {
  PairMembers result;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] != first && classes[i] != second) continue;
    result.members.push_back(static_cast<Index>(i));
    result.signs.push_back(classes[i] == first ? 1 : -1);
  }
  return result;
}

std::vector<std::pair<std::size_t, std::size_t>> all_pairs(std::size_t classes) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b) pairs.emplace_back(a, b);
  return pairs;
}

}  // namespace dsk::detail
