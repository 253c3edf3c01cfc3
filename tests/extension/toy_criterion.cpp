// A toy criterion: the mean kernel value of pairs of one class less that of pairs of two classes.

#include "learn/objective.hpp"

namespace dsk::detail {
namespace {

SumValue evaluate_contrast(const Matrix& sums, const Classes& classes) {
  double same = 0;
  for (int c = 0; c < classes.count(); ++c) same += static_cast<double>(classes.size(c) * (classes.size(c) - 1));
  const auto n = static_cast<double>(classes.samples());
  const double other = n * (n - 1) - same;
  return {sums.row(0).sum() / same - sums.row(1).sum() / other, {{1 / same, -1 / other}}};
}

}  // namespace

std::unique_ptr<Objective> contrast(const Classes& classes, const PairOptions&) {
  const std::vector<double> ones(static_cast<std::size_t>(classes.count()), 1), zeros(ones.size(), 0);
  return make_sum_objective({{{.same = ones}, {.same = zeros, .other = 1}}, evaluate_contrast}, classes);
}

}  // namespace dsk::detail
