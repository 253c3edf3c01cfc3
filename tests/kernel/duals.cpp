#include <dsk/kernel.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/kernel.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/oracle_quadratic.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

struct MarginProblem {
  Matrix kernel;
  std::vector<int> signs;
};

/// The kernel K + I/C of two classes.
MarginProblem margin_problem(std::vector<Index> sizes, double c, double theta = 4, std::uint64_t seed = 0) {
  const Dataset data = made_classes({.sizes = std::move(sizes), .dim = 3, .seed = seed});
  MarginProblem problem{kernel_matrix(data.matrices(), {.theta = theta}), {}};
  problem.kernel.diagonal().array() += 1 / c;
  for (const int code : data.labels().codes()) problem.signs.push_back(code == 0 ? 1 : -1);
  return problem;
}

/// Of the duals of n points: 1 + n C bounds the condition number of K + I/C.
KernelRounding rounding(const Matrix& kernel) {
  const double soft = kernel(0, 0) - 1;
  return {.dim = static_cast<long>(kernel.rows()), .dual_condition = 1 + static_cast<double>(kernel.rows()) / soft};
}

OracleQuadratic oracle_margin(const MarginProblem& problem, Real bound = std::numeric_limits<Real>::infinity()) {
  const auto size = problem.signs.size();
  OracleQuadratic result{OracleMatrix::of(problem.kernel), RealVector(size, 1), {}, 0, bound};
  result.a.assign(problem.signs.begin(), problem.signs.end());
  for (long i = 0; i < result.q.dim(); ++i)
    for (long j = 0; j < result.q.dim(); ++j)
      result.q(i, j) *= result.a[static_cast<std::size_t>(i)] * result.a[static_cast<std::size_t>(j)];
  return result;
}

RealVector oracle_ball(const Matrix& kernel) {
  const auto size = static_cast<std::size_t>(kernel.rows());
  return minimiser({OracleMatrix::of(kernel), RealVector(size, 0), RealVector(size, 1), 1});
}

void expect_near(const Eigen::VectorXd& found, const RealVector& expected, double allowed) {
  ASSERT_EQ(found.size(), static_cast<Index>(expected.size()));
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], static_cast<double>(expected[static_cast<std::size_t>(i)]), allowed) << "entry " << i;
}

/// Sum over j of eta_j t_j k(x_j, x_i) + b, times t_i.
Eigen::VectorXd margins(const MarginProblem& problem, const MarginDual& dual) {
  const Eigen::VectorXd t = Eigen::Map<const Eigen::VectorXi>(problem.signs.data(), dual.eta.size()).cast<double>();
  return (problem.kernel * dual.eta.cwiseProduct(t) + Eigen::VectorXd::Constant(t.size(), dual.offset)).cwiseProduct(t);
}

TEST(MarginDual, MeetsAGeneralSolver) {
  for (const double c : {0.01, 1.0, 100.0})
    for (const std::vector<Index>& sizes : {std::vector<Index>{1, 1}, {5, 1}, {8, 7}, {30, 12}}) {
      SCOPED_TRACE(testing::Message() << sizes[0] << " + " << sizes[1] << ", C = " << c);
      const MarginProblem problem = margin_problem(sizes, c);
      const RealVector expected = minimiser(oracle_margin(problem));
      const MarginDual found = solve_margin(problem.kernel, problem.signs);
      Real sum = 0;
      for (const Real eta : expected) sum += eta;
      const double allowed = rounding(problem.kernel).tolerance(static_cast<double>(sum));
      expect_near(found.eta, expected, allowed);
      EXPECT_NEAR(found.squared_norm, static_cast<double>(sum), allowed);
    }
}

TEST(MarginDual, FulfilsTheOptimalityConditions) {
  for (const double c : {0.01, 1.0, 1000.0})
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const MarginProblem problem = margin_problem({20, 9}, c, 4, seed);
      const MarginDual dual = solve_margin(problem.kernel, problem.signs);
      const double allowed = rounding(problem.kernel).tolerance(dual.squared_norm);
      EXPECT_GE(dual.eta.minCoeff(), 0);
      double balance = 0;
      for (Index i = 0; i < dual.eta.size(); ++i) balance += dual.eta[i] * problem.signs[static_cast<std::size_t>(i)];
      EXPECT_NEAR(balance, 0, allowed);
      const Eigen::VectorXd margin = margins(problem, dual);
      for (Index i = 0; i < margin.size(); ++i) {
        EXPECT_GE(margin[i], 1 - allowed);
        if (dual.eta[i] > 0) {
          EXPECT_NEAR(margin[i], 1, allowed);
        }
      }
    }
}

TEST(MarginDual, WithABoundMeetsAGeneralSolver) {
  for (const double bound : {0.3, 1.0, 10.0})
    for (const std::uint64_t seed : {0U, 1U}) {
      SCOPED_TRACE(testing::Message() << "bound " << bound << ", seed " << seed);
      const MarginProblem problem = margin_problem({14, 9}, 1e3, 4, seed);
      const OracleQuadratic oracle = oracle_margin(problem, bound);
      const RealVector expected = minimiser(oracle);
      const MarginDual found = solve_margin(problem.kernel, problem.signs, bound);
      EXPECT_GE(found.eta.minCoeff(), 0);
      EXPECT_LE(found.eta.maxCoeff(), bound);
      const auto objective = [&](const RealVector& x) { return dot(oracle.p, x) - dot(x, times(oracle.q, x)) / 2; };
      const double best = static_cast<double>(objective(expected));
      const double reached = static_cast<double>(objective(RealVector(found.eta.begin(), found.eta.end())));
      EXPECT_NEAR(reached, best, bounded_dual_tolerance(best));
      const Eigen::VectorXd margin = margins(problem, found);
      for (Index i = 0; i < margin.size(); ++i) {
        if (found.eta[i] < bound) {
          EXPECT_GE(margin[i], 1 - bounded_dual_tolerance(best));
        }
        if (found.eta[i] > 0) {
          EXPECT_LE(margin[i], 1 + bounded_dual_tolerance(best));
        }
      }
    }
}

TEST(MarginDual, OfAscendingBoundsMeetAGeneralSolver) {
  const MarginProblem problem = margin_problem({14, 9}, 1e3, 4, 1);
  const std::vector<MarginBounds> bounds{{0.3, 0.3}, {1, 0.5}, {10, 20}, {1e4, 1e4}, {1e6, 1e6}};
  const std::vector<MarginDual> found = solve_margin_path(problem.kernel, problem.signs, bounds);
  ASSERT_EQ(found.size(), bounds.size());
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "bound " << bounds[k].positive);
    const MarginDual alone = solve_margin(problem.kernel, problem.signs, bounds[k]);
    const double allowed = bounded_dual_tolerance(alone.squared_norm);
    EXPECT_NEAR(found[k].squared_norm, alone.squared_norm, allowed);
    if (bounds[k].positive == bounds[k].negative) {
      const OracleQuadratic oracle = oracle_margin(problem, bounds[k].positive);
      const RealVector eta(found[k].eta.begin(), found[k].eta.end()), expected = minimiser(oracle);
      const auto objective = [&](const RealVector& x) { return dot(oracle.p, x) - dot(x, times(oracle.q, x)) / 2; };
      EXPECT_NEAR(static_cast<double>(objective(eta)), static_cast<double>(objective(expected)), allowed);
    }
    const Eigen::VectorXd margin = margins(problem, found[k]);
    for (Index i = 0; i < margin.size(); ++i) {
      const double bound = problem.signs[static_cast<std::size_t>(i)] > 0 ? bounds[k].positive : bounds[k].negative;
      EXPECT_GE(found[k].eta[i], 0);
      EXPECT_LE(found[k].eta[i], bound);
      if (found[k].eta[i] < bound) {
        EXPECT_GE(margin[i], 1 - allowed);
      }
      if (found[k].eta[i] > 0) {
        EXPECT_LE(margin[i], 1 + allowed);
      }
    }
  }
  EXPECT_NE(found[1].eta, found[2].eta);
  for (const std::size_t k : {3U, 4U}) EXPECT_EQ(found[k].eta, found[2].eta) << "no coefficient reaches the bound";
}

TEST(MarginDual, WithABoundForEachPointFulfilsTheOptimalityConditions) {
  const MarginProblem problem = margin_problem({14, 9}, 1e3);
  Eigen::VectorXd bounds(23);
  for (Index i = 0; i < 23; ++i) bounds[i] = 0.1 + 0.3 * static_cast<double>(i % 5);
  const MarginDual found = solve_margin(problem.kernel, problem.signs, bounds);
  const double allowed = bounded_dual_tolerance(found.squared_norm);
  EXPECT_GE(found.eta.minCoeff(), 0);
  EXPECT_LE((found.eta - bounds).maxCoeff(), 0);
  const Eigen::VectorXd margin = margins(problem, found);
  for (Index i = 0; i < margin.size(); ++i) {
    if (found.eta[i] < bounds[i]) {
      EXPECT_GE(margin[i], 1 - allowed);
    }
    if (found.eta[i] > 0) {
      EXPECT_LE(margin[i], 1 + allowed);
    }
  }
  const MarginDual same = solve_margin(problem.kernel, problem.signs, Eigen::VectorXd::Constant(23, 0.3));
  EXPECT_NEAR(same.squared_norm, solve_margin(problem.kernel, problem.signs, 0.3).squared_norm, allowed);
  bounds[4] = 0;
  EXPECT_SAYS(message_of([&] { solve_margin(problem.kernel, problem.signs, bounds); }), "bound 0");
}

TEST(MarginDual, WithABoundThatNothingReachesIsThatWithout) {
  const MarginProblem problem = margin_problem({10, 8}, 1);
  const MarginDual free = solve_margin(problem.kernel, problem.signs);
  const MarginDual bounded = solve_margin(problem.kernel, problem.signs, 2 * free.eta.maxCoeff());
  EXPECT_NEAR(bounded.squared_norm, free.squared_norm, bounded_dual_tolerance(free.squared_norm));
  EXPECT_NEAR(bounded.offset, free.offset, bounded_dual_tolerance(free.squared_norm));
}

TEST(MarginDual, DoesNotDependOnASimilarSolution) {
  const MarginProblem problem = margin_problem({16, 11}, 10);
  const MarginProblem other = margin_problem({16, 11}, 0.1, 1, 5);
  const MarginDual plain = solve_margin(problem.kernel, problem.signs);
  const MarginDual far = solve_margin(other.kernel, other.signs);
  const MarginDual short_one{Eigen::VectorXd::Ones(3), 1, 0}, empty{Eigen::VectorXd::Zero(27), 0, 0};
  const double allowed = rounding(problem.kernel).tolerance(plain.squared_norm);
  for (const MarginDual* similar : {&plain, &far, &short_one, &empty}) {
    const MarginDual found =
        solve_margin(problem.kernel, problem.signs, std::numeric_limits<double>::infinity(), similar);
    expect_near(found.eta, RealVector(plain.eta.begin(), plain.eta.end()), allowed);
    EXPECT_NEAR(found.squared_norm, plain.squared_norm, allowed);
    EXPECT_NEAR(found.offset, plain.offset, allowed);
  }
}

TEST(MarginDual, TakesEqualPoints) {
  MarginProblem problem{Matrix::Ones(4, 4), {1, 1, -1, -1}};
  problem.kernel.diagonal().array() += 0.5;
  const MarginDual found = solve_margin(problem.kernel, problem.signs);
  const double each = 2;  // eta t is a multiple of (1, 1, -1, -1): max 4 e - 4 e^2 / 4
  expect_near(found.eta, RealVector(4, each), rounding(problem.kernel).tolerance(4 * each));
}

TEST(MarginDual, RefusesBadInput) {
  const Matrix kernel = Matrix::Identity(3, 3);
  const auto refusal = [&](const Matrix& k, std::vector<int> signs, double bound) {
    return message_of([&] { solve_margin(k, signs, bound); });
  };
  EXPECT_EQ(refusal(kernel, {1, -1}, 1), "3 x 3 kernel values do not fit 2 signs");
  EXPECT_EQ(refusal(Matrix(3, 2), {1, -1, 1}, 1), "3 x 2 kernel values do not fit 3 signs");
  for (const std::vector<int>& signs : {std::vector<int>{1, 1, 1}, {-1, -1, -1}, {1, -1, 0}, {1, -1, 2}})
    EXPECT_THAT(refusal(kernel, signs, 1), HasSubstr("+1 and -1"));
  EXPECT_NE(refusal(Matrix(0, 0), {}, 1), "");
  for (const double bound : {0.0, -1.0, -std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_THAT(refusal(kernel, {1, -1, 1}, bound), HasSubstr("must be above 0")) << bound;
  Matrix spoilt = kernel;
  spoilt(1, 2) = std::nan("");
  EXPECT_EQ(refusal(spoilt, {1, -1, 1}, 1), "kernel value (1, 2) is nan, not a finite number");
}

TEST(BallDual, MeetsAGeneralSolver) {
  for (const double c : {0.01, 1.0, 1000.0})
    for (const std::vector<Index>& sizes : {std::vector<Index>{1, 1}, {5, 1}, {8, 7}, {30, 12}}) {
      SCOPED_TRACE(testing::Message() << sizes[0] << " + " << sizes[1] << ", C = " << c);
      const Matrix kernel = margin_problem(sizes, c).kernel;
      const RealVector expected = oracle_ball(kernel);
      const BallDual found = solve_ball(kernel);
      const double allowed = rounding(kernel).tolerance(kernel(0, 0));
      expect_near(found.beta, expected, allowed);
      const Real squared_radius = kernel(0, 0) - dot(expected, times(OracleMatrix::of(kernel), expected));
      EXPECT_NEAR(found.squared_radius, static_cast<double>(squared_radius), allowed);
    }
}

/// Every number of points up to several whole vectors: the last vector of a row is full, or has padding or a single
/// entry.
TEST(BallDual, AndMarginMeetAGeneralSolverWithEverySimdTarget) {
  for (Index size = 2; size <= 21; ++size) {
    const MarginProblem problem = margin_problem({(size + 1) / 2, size / 2}, 10, 4, static_cast<std::uint64_t>(size));
    const RealVector centre = oracle_ball(problem.kernel), expected = minimiser(oracle_margin(problem));
    Real sum = 0;
    for (const Real eta : expected) sum += eta;
    on_every_target([&] {
      SCOPED_TRACE(testing::Message() << size << " points");
      expect_near(solve_ball(problem.kernel).beta, centre, rounding(problem.kernel).tolerance(problem.kernel(0, 0)));
      const MarginDual found = solve_margin(problem.kernel, problem.signs);
      const double allowed = rounding(problem.kernel).tolerance(static_cast<double>(sum));
      expect_near(found.eta, expected, allowed);
      EXPECT_NEAR(found.squared_norm, static_cast<double>(sum), allowed);
    });
  }
}

/// Solutions of many points are found in memory of their own.
TEST(BallDual, OfManyPointsHoldsThem) {
  for (const Index half : {255, 300}) {
    const Matrix kernel = margin_problem({half, half + 2}, 1, 4).kernel;
    const BallDual ball = solve_ball(kernel);
    const double allowed = rounding(kernel).tolerance(kernel(0, 0));
    EXPECT_NEAR(ball.beta.sum(), 1, allowed);
    const Eigen::VectorXd product = kernel * ball.beta;
    for (Index i = 0; i < product.size(); ++i)
      EXPECT_LE(kernel(i, i) - 2 * product[i] + ball.beta.dot(product), ball.squared_radius + allowed);
  }
}

TEST(BallDual, HoldsAllPointsAndTouchesItsSupport) {
  for (const double theta : {1.0, 5.0, 50.0}) {
    const Matrix kernel = margin_problem({20, 15}, 10, theta).kernel;
    const BallDual ball = solve_ball(kernel);
    const double allowed = rounding(kernel).tolerance(kernel(0, 0));
    EXPECT_GE(ball.beta.minCoeff(), 0);
    EXPECT_NEAR(ball.beta.sum(), 1, allowed);
    const Eigen::VectorXd product = kernel * ball.beta;
    for (Index i = 0; i < product.size(); ++i) {
      const double squared_distance = kernel(i, i) - 2 * product[i] + ball.beta.dot(product);
      EXPECT_LE(squared_distance, ball.squared_radius + allowed);
      if (ball.beta[i] > 0) {
        EXPECT_NEAR(squared_distance, ball.squared_radius, allowed);
      }
    }
  }
}

TEST(BallDual, DoesNotDependOnASimilarSolution) {
  const Matrix kernel = margin_problem({16, 11}, 10).kernel;
  const BallDual plain = solve_ball(kernel), far = solve_ball(margin_problem({16, 11}, 0.1, 1, 5).kernel);
  const BallDual short_one{Eigen::VectorXd::Ones(3), 1}, empty{Eigen::VectorXd::Zero(27), 0};
  const double allowed = rounding(kernel).tolerance(kernel(0, 0));
  for (const BallDual* similar : {&plain, &far, &short_one, &empty}) {
    const BallDual found = solve_ball(kernel, similar);
    expect_near(found.beta, RealVector(plain.beta.begin(), plain.beta.end()), allowed);
    EXPECT_NEAR(found.squared_radius, plain.squared_radius, allowed);
  }
}

TEST(BallDual, AroundOnePointIsThatPoint) {
  const BallDual ball = solve_ball(Matrix::Constant(1, 1, 1.5));
  EXPECT_EQ(ball.beta, Eigen::VectorXd::Ones(1));
  EXPECT_EQ(ball.squared_radius, 0);
}

TEST(BallDual, RefusesBadInput) {
  EXPECT_EQ(message_of([] { solve_ball(Matrix(0, 0)); }), "a ball needs a square kernel matrix, not 0 x 0");
  EXPECT_EQ(message_of([] { solve_ball(Matrix(2, 3)); }), "a ball needs a square kernel matrix, not 2 x 3");
  Matrix spoilt = Matrix::Identity(3, 3);
  spoilt(2, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of([&] { solve_ball(spoilt); }), "kernel value (2, 0) is inf, not a finite number");
}

}  // namespace
}  // namespace dsk::test
