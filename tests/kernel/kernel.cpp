#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

#include "support/message.hpp"
#include "support/oracle.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

constexpr Metric kernel_metrics[] = {Metric::cholesky, Metric::euclidean, Metric::logeuclidean, Metric::powereuclidean,
                                     Metric::stein};

TEST(KernelMatrix, IsTheExponentialOfTheDivergence) {
  const SpdBatch x = random_spd({.count = 4, .dim = 5}), y = random_spd({.count = 2, .dim = 5, .seed = 1});
  const Matrix whole = kernel_matrix(x, {.theta = 2.5}), cross = kernel_matrix(x, y, {.theta = 2.5});
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j)
      EXPECT_NEAR(whole(i, j), static_cast<double>(std::exp(-2.5L * stein_oracle(x[i], x[j]))), tolerance(5, 10));
    for (Index j = 0; j < 2; ++j)
      EXPECT_NEAR(cross(i, j), static_cast<double>(std::exp(-2.5L * stein_oracle(x[i], y[j]))), tolerance(5, 10));
  }
}

TEST(KernelMatrix, HasUnitDiagonalAndIsSymmetricToTheBit) {
  const SpdBatch x = random_spd({.count = 20, .dim = 5, .condition = 1e3});
  for (const Metric metric : kernel_metrics) {
    const Matrix k = kernel_matrix(x, {.metric = metric, .theta = 0.5});
    EXPECT_EQ(k, k.transpose());
    EXPECT_TRUE((k.diagonal().array() == 1).all());
  }
}

TEST(KernelMatrix, IsPositiveDefiniteForValidTheta) {
  for (const double theta : {0.5, 1.0, 1.5, 2.0, 2.3, 10.0}) {
    const SpdBatch x = random_spd({.count = 60, .dim = 5, .condition = 1e2});
    for (const Metric metric : kernel_metrics) {
      const Matrix k = kernel_matrix(x, {.metric = metric, .theta = theta});
      const Eigen::SelfAdjointEigenSolver<Matrix> solver(k, Eigen::EigenvaluesOnly);
      const double rounding = 60 * tolerance(5, 1);
      EXPECT_GE(solver.eigenvalues()(0), -rounding) << name(metric) << " theta " << theta;
    }
  }
}

TEST(KernelMatrix, DoesNotDependOnThreads) {
  const SpdBatch x = random_spd({.count = 300, .dim = 5});
  const Matrix one = kernel_matrix(x, {.pairs = {.threads = 1}});
  for (const int threads : {2, 7}) EXPECT_EQ(one, kernel_matrix(x, {.pairs = {.threads = threads}}));
}

TEST(KernelMatrix, RefusesAirmUnlessAllowed) {
  const SpdBatch x = random_spd({.count = 3, .dim = 4});
  EXPECT_THAT(message_of([&] { kernel_matrix(x, {.metric = Metric::airm}); }),
              HasSubstr("airm gives no positive definite kernel; use it with k-NN, or allow indefinite kernels"));
  EXPECT_NO_THROW(kernel_matrix(x, {.metric = Metric::airm, .allow_indefinite = true}));
}

TEST(KernelMatrix, ListsTheValidThetas) {
  const auto refusal = [](Index dim, double theta) {
    return message_of([&] { kernel_matrix(random_spd({.count = 2, .dim = dim}), {.theta = theta}); });
  };
  EXPECT_EQ(
      refusal(5, 0.7),
      "theta 0.7 is not valid for the stein kernel of 5 x 5 matrices; use 0.5, 1, 1.5, 2 or any number above 2, or "
      "allow indefinite kernels");
  EXPECT_THAT(refusal(2, 0.3), HasSubstr("use 0.5 or any number above 0.5"));
  EXPECT_THAT(refusal(43, 0.3), HasSubstr("use 0.5, 1, ..., 21 or any number above 21"));
  EXPECT_EQ(refusal(1, 0.3), "");
}

TEST(KernelMatrix, AllowsInvalidThetaIfAsked) {
  const SpdBatch x = random_spd({.count = 3, .dim = 5});
  EXPECT_NO_THROW(kernel_matrix(x, {.theta = 0.7, .allow_indefinite = true}));
}

TEST(KernelMatrix, RefusesThetaThatIsNoPositiveNumber) {
  const SpdBatch x = random_spd({.count = 2, .dim = 3});
  for (const double theta :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Metric metric : kernel_metrics)
      EXPECT_THAT(message_of([&] { kernel_matrix(x, {.metric = metric, .theta = theta, .allow_indefinite = true}); }),
                  HasSubstr("must be finite and above 0"));
}

TEST(IsValidTheta, FollowsTheTheorem) {
  for (const double theta : {0.5, 1.0, 1.5, 2.0, 2.0001, 7.3}) EXPECT_TRUE(is_valid_theta(Metric::stein, theta, 5));
  for (const double theta : {0.0, -0.5, 0.25, 0.75, 1.9999}) EXPECT_FALSE(is_valid_theta(Metric::stein, theta, 5));
  EXPECT_TRUE(is_valid_theta(Metric::stein, 0.01, 1));
  EXPECT_TRUE(is_valid_theta(Metric::euclidean, 0.01, 50));
  EXPECT_FALSE(is_valid_theta(Metric::euclidean, 0, 50));
  EXPECT_FALSE(is_valid_theta(Metric::airm, 100, 2));
}

}  // namespace
}  // namespace dsk::test
