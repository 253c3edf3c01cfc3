#include <cmath>

#include "learn/objective.hpp"

namespace dsk::detail {
namespace {

/// J = <T, K> / (n |K|), dJ/dK = T / (n |K|) - <T, K> K / (n |K|^3).
SumValue evaluate_alignment(const Matrix& sums, const Classes& classes) {
  const auto n = static_cast<double>(classes.samples());
  const double product = n + sums.row(0).sum(), squared_norm = n + sums.row(1).sum(), norm = std::sqrt(squared_norm);
  const double value = product / (n * norm);
  return {value, {{1 / (n * norm), -value / squared_norm}}};
}

}  // namespace

std::unique_ptr<Objective> alignment(const Classes& classes, const PairOptions&) {
  const std::vector<double> ones(static_cast<std::size_t>(classes.count()), 1), zeros(ones.size(), 0);
  const PairForm target{.same = ones, .other = -1}, square{.same = zeros, .square = 1};
  return make_sum_objective({{target, square}, evaluate_alignment}, classes);
}

}  // namespace dsk::detail
