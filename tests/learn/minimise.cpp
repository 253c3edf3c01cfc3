#include "learn/minimise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace dsk::test {
namespace {

using detail::minimise;
using detail::Minimum;

constexpr double never = std::numeric_limits<double>::infinity();

/// Rosenbrock's valley, least at (1, 1).
double valley(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
  const double across = x[1] - x[0] * x[0], along = 1 - x[0];
  gradient = Eigen::Vector2d(-400 * x[0] * across - 2 * along, 200 * across);
  return 100 * across * across + along * along;
}

/// The same where x_0 <= 1/2, nothing elsewhere.
double cut_valley(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
  const double value = valley(x, gradient);
  return x[0] <= 0.5 ? value : never;
}

TEST(Minimise, FindsTheMinimum) {
  const Minimum found = minimise(valley, Eigen::Vector2d(-1.2, 1), {.max_iterations = 200, .tolerance = 1e-14});
  EXPECT_EQ(found.stop, Fit::Stop::converged);
  EXPECT_LT(found.value, 1e-12);
  EXPECT_LT((found.point - Eigen::Vector2d(1, 1)).norm(), 1e-5);
  EXPECT_GT(found.iterations, 5);
  EXPECT_GT(found.evaluations, found.iterations);
}

TEST(Minimise, StepsBackFromInfiniteValues) {
  const Minimum found = minimise(cut_valley, Eigen::Vector2d(-1.2, 1), {.max_iterations = 200});
  EXPECT_LE(found.point[0], 0.5);
  EXPECT_LT(found.value, 1);
  Eigen::VectorXd unused;
  EXPECT_EQ(found.value, valley(found.point, unused));
}

TEST(Minimise, StopsAtTheLimitOfIterations) {
  for (const int limit : {0, 1, 4}) {
    const Minimum found = minimise(valley, Eigen::Vector2d(-1.2, 1), {.max_iterations = limit, .tolerance = 0});
    EXPECT_EQ(found.iterations, limit);
    EXPECT_EQ(found.stop, Fit::Stop::iteration_limit);
  }
}

TEST(Minimise, StaysWhereNothingIsFinite) {
  const auto nowhere = [](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    gradient = x;
    return never;
  };
  const Eigen::Vector2d start(3, 4);
  const Minimum found = minimise(nowhere, start, {});
  EXPECT_EQ(found.stop, Fit::Stop::line_search);
  EXPECT_EQ(found.point, start);
  EXPECT_EQ(found.value, never);
}

TEST(Minimise, StaysAtAMinimum) {
  const Minimum found = minimise(valley, Eigen::Vector2d(1, 1), {});
  EXPECT_EQ(found.stop, Fit::Stop::converged);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(found.value, 0);
}

TEST(Minimise, LetsErrorsOfTheFunctionThrough) {
  int left = 5;
  const auto failing = [&](const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    if (--left == 0) throw std::runtime_error("the device is gone");
    return valley(x, gradient);
  };
  try {
    minimise(failing, Eigen::Vector2d(-1.2, 1), {});
    FAIL() << "taken for the end of a line search";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the device is gone");
  }
  EXPECT_EQ(left, 0);
}

TEST(Minimise, KeepsTheBestWhenStopped) {
  double last = never;
  const Minimum found =
      minimise(valley, Eigen::Vector2d(-1.2, 1), {.on_iteration = [&](const Eigen::VectorXd&, double value, double) {
                 EXPECT_LE(value, last);
                 last = value;
                 return value > 1;
               }});
  EXPECT_EQ(found.stop, Fit::Stop::cancelled);
  EXPECT_LE(found.value, 1);
  EXPECT_LE(found.value, last);
}

}  // namespace
}  // namespace dsk::test
