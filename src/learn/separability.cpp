#include "learn/objective.hpp"

namespace dsk::detail {
namespace {

/// J = tr S_B / tr S_W = (P - Q) / (n - P), with P = sum_c 1'K_cc 1 / n_c and Q = 1'K 1 / n.
SumValue evaluate_separability(const Matrix& sums, const Classes& classes) {
  const auto n = static_cast<double>(classes.samples());
  const double p = static_cast<double>(classes.count()) + sums.row(0).sum(), q = (n + sums.row(1).sum()) / n;
  const double within = n - p;
  return {(p - q) / within, {{(n - q) / (within * within), -1 / (n * within)}}};
}

}  // namespace

std::unique_ptr<Objective> separability(const Classes& classes, const PairOptions&) {
  const std::vector<double> ones(static_cast<std::size_t>(classes.count()), 1);
  PairForm class_mean;
  for (int c = 0; c < classes.count(); ++c) class_mean.same.push_back(1 / static_cast<double>(classes.size(c)));
  return make_sum_objective({{class_mean, {.same = ones, .other = 1}}, evaluate_separability}, classes);
}

}  // namespace dsk::detail
