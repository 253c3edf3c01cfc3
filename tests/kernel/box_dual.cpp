#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernel/duals.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

struct SmallMachine {
  Matrix kernel;
  Matrix to_training;  ///< of points that the machine has not seen
  Eigen::VectorXd signs;
  MarginBounds bounds;
};

/// Gaussian kernel values of two overlapping clouds of points, some of which may be equal.
SmallMachine random_machine(std::mt19937& random) {
  constexpr Index others = 10;
  std::uniform_int_distribution<int> size(2, 40), dim(1, 6), coin(0, 4);
  std::uniform_real_distribution<double> exponent(-2, 2), width(-1.5, 1);
  std::normal_distribution<double> normal;
  const Index n = size(random), d = dim(random);
  const bool repeated = coin(random) == 0;
  Eigen::MatrixXd points(n, d);
  SmallMachine machine{Matrix(n, n), Matrix(others, n), Eigen::VectorXd(n), {}};
  for (Index i = 0; i < n; ++i) {
    machine.signs[i] = i == 0 ? 1 : i == 1 ? -1 : coin(random) < 2 ? 1 : -1;
    for (Index k = 0; k < d; ++k) points(i, k) = normal(random) + (k == 0 ? machine.signs[i] : 0);
    if (repeated && i >= 2) points.row(i) = points.row(i % 2);
  }
  const double theta = std::pow(10, width(random));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      machine.kernel(i, j) = std::exp(-theta * (points.row(i) - points.row(j)).squaredNorm());
  for (Index i = 0; i < others; ++i) {
    const Eigen::RowVectorXd point = Eigen::RowVectorXd::NullaryExpr(d, [&] { return 1.5 * normal(random); });
    for (Index j = 0; j < n; ++j) machine.to_training(i, j) = std::exp(-theta * (point - points.row(j)).squaredNorm());
  }
  machine.bounds.positive = std::pow(10, exponent(random));
  machine.bounds.negative = coin(random) == 0 ? 2 * machine.bounds.positive : machine.bounds.positive;
  return machine;
}

detail::BoxSolution solved_from(const SmallMachine& machine, const Eigen::VectorXd& start, double tolerance) {
  const Index n = machine.signs.size();
  detail::BoxProblem problem{machine.signs, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  for (Index i = 0; i < n; ++i)
    if (machine.signs[i] > 0)
      problem.upper[i] = machine.bounds.positive;
    else
      problem.lower[i] = -machine.bounds.negative;
  return detail::BoxDual(machine.kernel).solve(problem, start, tolerance, 10000000);
}

detail::BoxSolution solved(const SmallMachine& machine, double tolerance) {
  return solved_from(machine, Eigen::VectorXd::Zero(machine.signs.size()), tolerance);
}

/// sum_j b_j k_ij + offset in long double.
long double decision(const SmallMachine& machine, const detail::BoxSolution& solution, Index i) {
  long double sum = solution.multiplier;
  for (Index j = 0; j < solution.b.size(); ++j)
    sum += static_cast<long double>(solution.b[j]) * static_cast<long double>(machine.kernel(i, j));
  return sum;
}

TEST(BoxDual, FulfilsTheOptimalityConditionsWithEverySimdTarget) {
  constexpr double tolerance = 1e-9;
  on_every_target([&] {
    std::mt19937 random(11);
    for (int trial = 0; trial < 250; ++trial) {
      const SmallMachine machine = random_machine(random);
      const detail::BoxSolution found = solved(machine, tolerance);
      const double largest = std::max(machine.bounds.positive, machine.bounds.negative);
      const double rounding =
          64 * static_cast<double>(found.b.size()) * std::numeric_limits<double>::epsilon() * (1 + largest);
      EXPECT_NEAR(found.b.sum(), 0, rounding);
      for (Index i = 0; i < found.b.size(); ++i) {
        const double eta = found.b[i] * machine.signs[i];
        const double bound = machine.signs[i] > 0 ? machine.bounds.positive : machine.bounds.negative;
        EXPECT_GE(eta, 0);
        EXPECT_LE(eta, bound);
        const auto margin = static_cast<double>(decision(machine, found, i)) * machine.signs[i];
        if (eta < bound) {
          EXPECT_GE(margin, 1 - tolerance - rounding) << "trial " << trial << ", point " << i;
        }
        if (eta > 0) {
          EXPECT_LE(margin, 1 + tolerance + rounding) << "trial " << trial << ", point " << i;
        }
      }
    }
  });
}

/// Nothing to tell points apart by, nothing that points have in common, or two points that contradict each other.
Matrix degenerate_kernel(Index size, int kind) {
  if (kind == 0) return Matrix::Ones(size, size);
  if (kind == 1) return Matrix::Identity(size, size);
  Matrix kernel = Matrix::Identity(size, size);
  kernel(0, 1) = kernel(1, 0) = 1;
  return kernel;
}

TEST(BoxDual, DecidesAsLibsvmOnAThousandMachines) {
  constexpr double stop = 1e-10, allowed = 1e-6;
  std::mt19937 random(17);
  for (int trial = 0; trial < 1000; ++trial) {
    SmallMachine machine = random_machine(random);
    if (trial % 10 == 0) {
      machine.kernel = degenerate_kernel(machine.kernel.rows(), trial / 10 % 3);
      machine.to_training = machine.kernel;
    }
    // LIBSVM keeps kernel values in single precision.
    machine.kernel = machine.kernel.cast<float>().cast<double>();
    const detail::BoxSolution ours = solved(machine, stop),
                              theirs = detail::libsvm_margin(machine.kernel, machine.signs, machine.bounds, stop);
    Matrix points(machine.kernel.rows() + machine.to_training.rows(), machine.kernel.cols());
    points << machine.kernel, machine.to_training;
    const Eigen::VectorXd found = (points * ours.b).array() + ours.multiplier,
                          expected = (points * theirs.b).array() + theirs.multiplier;
    for (Index i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], allowed) << "trial " << trial << ", point " << i;
      // Closer to 0, rounding decides.
      if (std::abs(expected[i]) > allowed) {
        EXPECT_EQ(found[i] > 0, expected[i] > 0) << "trial " << trial << ", point " << i;
      }
    }
  }
}

TEST(BoxDual, HasTheBallsOfLibsvm) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 100; ++trial) {
    Matrix kernel = random_machine(random).kernel;
    kernel.diagonal().array() += 0.1;
    const BallDual ours = solve_ball(kernel);
    const Eigen::VectorXd theirs = detail::libsvm_ball(kernel, 1e-8).b;
    EXPECT_NEAR(theirs.sum(), 1, tolerance(theirs.size(), 1));
    EXPECT_NEAR(ours.squared_radius, kernel(0, 0) - theirs.dot(kernel * theirs), bounded_dual_tolerance(kernel(0, 0)));
  }
}

TEST(BoxDual, KeepsASolutionItStartsFrom) {
  std::mt19937 random(3);
  const SmallMachine machine = random_machine(random);
  const detail::BoxSolution found = solved(machine, 1e-9);
  EXPECT_EQ(solved_from(machine, found.b, 1e-8).b, found.b);
}

}  // namespace
}  // namespace dsk::test
