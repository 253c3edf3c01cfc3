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

namespace {

/// J = <HYH, HKH> / (|HYH| |HKH|) with H = I - 11'/n and Y the same-class indicator. With s_i the row sums of K and n_i
/// the size of i's class, (HKH)_ij = K_ij - (s_i + s_j)/n + 1'K1/n^2 and (HYH)_ij = Y_ij - (n_i + n_j)/n + 1'Y1/n^2.
SumValue evaluate_centred(const Matrix& sums, const Classes& classes) {
  const Index count = classes.samples();
  const auto n = static_cast<double>(count);
  const Eigen::VectorXd row_sums = sums.row(1).transpose().array() + 1;
  const double whole = row_sums.sum();
  Eigen::VectorXd class_sizes(count);
  for (Index i = 0; i < count; ++i) class_sizes[i] = static_cast<double>(classes.size(classes[i]));
  const double same_pairs = class_sizes.sum();  // 1'Y1, and |Y|^2

  const double product = n + sums.row(0).sum() - 2 / n * class_sizes.dot(row_sums) + same_pairs * whole / (n * n);
  const double kernel_squared = n + sums.row(2).sum() - 2 / n * row_sums.squaredNorm() + whole * whole / (n * n);
  const double target_squared = same_pairs - 2 / n * class_sizes.squaredNorm() + same_pairs * same_pairs / (n * n);
  const double norms = std::sqrt(kernel_squared * target_squared);
  const double value = product / norms, shrink = value / kernel_squared;
  const double constant = same_pairs / (n * n) / norms - shrink * whole / (n * n);
  return {value, {{1 / norms, constant, -shrink}, (shrink * row_sums - class_sizes / norms) / n}};
}

}  // namespace

std::unique_ptr<Objective> centred(const Classes& classes, const PairOptions&) {
  const std::vector<double> ones(static_cast<std::size_t>(classes.count()), 1), zeros(ones.size(), 0);
  const PairForm same{.same = ones}, kernel{.same = ones, .other = 1}, square{.same = zeros, .square = 1};
  return make_sum_objective({{same, kernel, square}, evaluate_centred, true}, classes);
}

}  // namespace dsk::detail
