#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

#include "kernel/duals.hpp"
#include "machine/interrupt.hpp"

namespace dsk::detail {
namespace {

/// A multiple of every vector length.
constexpr Index box_padding = 8;

AlignedArray<double> padded_copy(const Eigen::VectorXd& values, Index padded) {
  AlignedArray<double> result(padded);
  std::fill(std::copy(values.begin(), values.end(), result.data()), result.data() + padded, 0.0);
  return result;
}

}  // namespace

BoxDual::BoxDual(const Matrix& kernel)
    : size_(kernel.rows()),
      padded_((size_ + box_padding - 1) / box_padding * box_padding),
      rows_(size_ * padded_),
      diagonal_(padded_copy(kernel.diagonal(), padded_)) {
  for (Index i = 0; i < size_; ++i) {
    double* const row = rows_.data() + i * padded_;
    std::copy_n(&kernel(i, 0), size_, row);
    std::fill(row + size_, row + padded_, 0.0);
  }
}

BoxSolution BoxDual::solve(const BoxProblem& problem, const Eigen::VectorXd& start, double tolerance,
                           Index max_steps) const {
  AlignedArray<double> lower = padded_copy(problem.lower, padded_), upper = padded_copy(problem.upper, padded_),
                       b = padded_copy(start, padded_), ascent(padded_);
  const BoxArrays arrays{rows_.data(), diagonal_.data(), lower.data(), upper.data(), b.data(), ascent.data(), padded_};
  // Steps add rounding errors to the slopes; they count only when computed from b.
  const auto compute_slopes = [&] {
    std::fill(std::copy(problem.p.begin(), problem.p.end(), ascent.data()), ascent.data() + padded_, 0.0);
    Eigen::Map<Eigen::VectorXd> slopes(ascent.data(), padded_);
    for (Index i = 0; i < size_; ++i)
      if (b[i] != 0) slopes -= b[i] * Eigen::Map<const Eigen::VectorXd>(rows_.data() + i * padded_, padded_);
  };
  constexpr Index between_interrupts = 100000;
  constexpr int most_rounds = 5;
  BoxProgress progress;
  Index steps = 0;
  for (int round = 0; round < most_rounds && steps < max_steps; ++round) {
    compute_slopes();
    const Index before = steps;
    do {
      check_interrupt();
      progress = box_steps(arrays, tolerance, std::min(between_interrupts, max_steps - steps));
      steps += progress.steps;
    } while (progress.highest - progress.lowest > tolerance && steps < max_steps);
    if (steps == before) break;
  }
  double sum = 0;
  Index free = 0;
  for (Index i = 0; i < size_; ++i)
    if (b[i] > lower[i] && b[i] < upper[i]) {
      sum += ascent[i];
      ++free;
    }
  return {Eigen::Map<const Eigen::VectorXd>(b.data(), size_),
          free > 0 ? sum / static_cast<double>(free) : (progress.highest + progress.lowest) / 2};
}

namespace {

std::optional<QuadraticSolution> solve_on(const QuadraticProblem& problem, const std::vector<Index>& support) {
  const Eigen::LLT<Eigen::MatrixXd> factor(problem.q(support, support));
  if (factor.info() != Eigen::Success) return {};
  const Eigen::VectorXd a = problem.a(support), by_p = factor.solve(problem.p(support)), by_a = factor.solve(a);
  const double slope = a.dot(by_a);
  if (!(slope > 0)) return {};
  QuadraticSolution solution{Eigen::VectorXd::Zero(problem.p.size()), (problem.c - a.dot(by_p)) / slope};
  solution.x(support) = by_p + solution.multiplier * by_a;
  if (!solution.x.allFinite()) return {};
  return solution;
}

}  // namespace

std::optional<QuadraticSolution> settle(const QuadraticProblem& problem, std::vector<Index> support) {
  constexpr int most_rounds = 30;
  constexpr double violation = 1e-10;
  for (int round = 0; round < most_rounds && !support.empty(); ++round) {
    const auto solution = solve_on(problem, support);
    if (!solution) return {};
    const auto is_out = [&](Index i) { return !(solution->x[i] > 0); };
    if (std::any_of(support.begin(), support.end(), is_out)) {
      std::erase_if(support, is_out);
      continue;
    }
    const Eigen::VectorXd slack =
        problem.q(Eigen::all, support) * solution->x(support) - problem.p - solution->multiplier * problem.a;
    const double allowed = violation * std::max(1.0, std::abs(solution->multiplier));
    const std::size_t settled = support.size();
    for (Index i = 0; i < slack.size(); ++i)
      if (solution->x[i] == 0 && slack[i] < -allowed) support.push_back(i);
    if (support.size() == settled) return solution;
    std::sort(support.begin(), support.end());
  }
  return {};
}

std::vector<Index> support_of(const Eigen::VectorXd& x) {
  std::vector<Index> support;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] > 0) support.push_back(i);
  return support;
}

}  // namespace dsk::detail
