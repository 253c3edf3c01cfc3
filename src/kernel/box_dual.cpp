#include <algorithm>

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

}  // namespace dsk::detail
