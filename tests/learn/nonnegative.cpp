#include <gtest/gtest.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "learn/learn.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

struct Problem {
  Matrix q;
  Eigen::VectorXd p;

  double value(const Eigen::VectorXd& x) const { return 0.5 * x.dot(q * x) - p.dot(x); }
};

/// The smallest value over x >= 0, from the stationary points of all sets of unknowns that are not at 0.
double smallest_value(const Problem& problem) {
  double best = 0;
  for (unsigned set = 1; set < 1U << problem.p.size(); ++set) {
    std::vector<Index> free;
    for (Index k = 0; k < problem.p.size(); ++k)
      if ((set >> k & 1U) != 0) free.push_back(k);
    const Eigen::VectorXd found =
        Eigen::FullPivLU<Eigen::MatrixXd>(problem.q(free, free)).solve(Eigen::VectorXd(problem.p(free)));
    if (found.minCoeff() < 0) continue;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(problem.p.size());
    x(free) = found;
    best = std::min(best, problem.value(x));
  }
  return best;
}

/// Of least squares, of unit diagonal and with few different entries, so that solutions are at 0 exactly now and then.
Problem some_problem(std::mt19937_64& random, Index size) {
  std::uniform_int_distribution<int> entry(-2, 2);
  const Index directions = size + 1;
  Matrix points(size, directions);
  for (Index k = 0; k < size; ++k) {
    do {
      for (Index d = 0; d < directions; ++d) points(k, d) = entry(random);
    } while (points.row(k).isZero());
    points.row(k).normalize();
  }
  Eigen::VectorXd target(directions);
  for (Index d = 0; d < directions; ++d) target[d] = entry(random);
  Problem problem{points * points.transpose(), points * target};
  problem.q.diagonal().setOnes();
  return problem;
}

TEST(Nonnegative, IsTheBestOverAllSetsOfUnknowns) {
  std::mt19937_64 random(1);
  for (const Index size : {1, 2, 3, 5, 7})
    for (int trial = 0; trial < 200; ++trial) {
      const Problem problem = some_problem(random, size);
      const Eigen::VectorXd found = detail::solve_nonnegative(problem.q, problem.p);
      ASSERT_GE(found.minCoeff(), 0);
      const double expected = smallest_value(problem);
      ASSERT_NEAR(problem.value(found), expected, 1e-9 * (1 + std::abs(expected))) << size << ' ' << trial;
    }
}

/// When the third and the fourth unknown are free, the best value of the second is 0 exactly.
TEST(Nonnegative, AnUnknownThatEndsAtZeroTakesNoOtherWithIt) {
  Problem problem{Matrix::Identity(4, 4), Eigen::VectorXd::Ones(4)};
  problem.q(1, 2) = problem.q(2, 1) = problem.q(1, 3) = problem.q(3, 1) = 0.5;
  const Eigen::VectorXd found = detail::solve_nonnegative(problem.q, problem.p);
  EXPECT_LE((found - Eigen::VectorXd{{1, 0, 1, 1}}).cwiseAbs().maxCoeff(), tolerance(4, 1));
  EXPECT_GT(found[0], 0.5);
}

TEST(Nonnegative, IsZeroWhereNothingAscends) {
  const Matrix q = Matrix::Identity(3, 3);
  EXPECT_EQ(detail::solve_nonnegative(q, Eigen::VectorXd{{-1, 0, -2}}), Eigen::VectorXd::Zero(3));
}

}  // namespace
}  // namespace dsk::test
