#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

Matrix points(Index count, Index dim) {
  Matrix result(count, dim);
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < dim; ++k) result(i, k) = std::sin(static_cast<double>(3 * i * i + 7 * k * i + k + 1));
  return result;
}

Matrix centred(const Matrix& kernel) {
  const Index n = kernel.rows();
  const Eigen::MatrixXd projection =
      Eigen::MatrixXd::Identity(n, n) - Eigen::MatrixXd::Constant(n, n, 1 / static_cast<double>(n));
  return projection * kernel * projection;
}

TEST(KernelPrincipalComponents, AllOfThemMakeTheCentredKernel) {
  for (const Index n : {1, 2, 5, 30}) {
    const Matrix kernel = kernel_matrix(random_spd({.count = n, .dim = 4}), {.theta = 2});
    const Matrix coordinates = kernel_principal_components(kernel, n);
    EXPECT_LT((coordinates * coordinates.transpose() - centred(kernel)).cwiseAbs().maxCoeff(), tolerance(n, 1)) << n;
    EXPECT_LT(coordinates.colwise().sum().cwiseAbs().maxCoeff(), tolerance(n, 1)) << n;
  }
}

TEST(KernelPrincipalComponents, AreOrthogonalAndTheLargestComesFirst) {
  const Matrix x = points(20, 6);
  const Matrix coordinates = kernel_principal_components(x * x.transpose(), 6);
  const Matrix products = coordinates.transpose() * coordinates;
  for (Index c = 0; c < 6; ++c) {
    EXPECT_GT(products(c, c), 0);
    EXPECT_LE(products(c, c), products(std::max<Index>(c - 1, 0), std::max<Index>(c - 1, 0)));
    for (Index other = 0; other < c; ++other) EXPECT_NEAR(products(c, other), 0, tolerance(20, 1, products(0, 0)));
  }
  const Matrix fewer = kernel_principal_components(x * x.transpose(), 2);
  EXPECT_EQ(fewer, coordinates.leftCols(2));
}

TEST(KernelPrincipalComponents, LargestEntryOfEachIsPositive) {
  const Matrix x = points(15, 5);
  const Matrix coordinates = kernel_principal_components(x * x.transpose(), 5);
  for (Index c = 0; c < 5; ++c) EXPECT_EQ(coordinates.col(c).maxCoeff(), coordinates.col(c).cwiseAbs().maxCoeff()) << c;
}

TEST(KernelPrincipalComponents, BeyondTheRankAreZero) {
  const Matrix x = points(12, 3);
  const Matrix coordinates = kernel_principal_components(x * x.transpose(), 12);
  EXPECT_GT(coordinates.col(2).norm(), 0.1);
  EXPECT_EQ(coordinates.rightCols(9), (Matrix::Zero(12, 9)));
  EXPECT_EQ(kernel_principal_components(Matrix::Ones(7, 7), 7), (Matrix::Zero(7, 7)));
  EXPECT_EQ(kernel_principal_components(Matrix::Zero(3, 3), 3), (Matrix::Zero(3, 3)));
}

TEST(KernelPrincipalComponents, NegativeEigenvaluesGiveNone) {
  Matrix kernel(2, 2);
  kernel << -1, 1, 1, -1;
  EXPECT_EQ(kernel_principal_components(kernel, 2), (Matrix::Zero(2, 2)));
}

TEST(KernelPrincipalComponents, RefuseBadInput) {
  EXPECT_EQ(message_of([] { kernel_principal_components(Matrix::Ones(3, 4), 2); }),
            "components 2 must be from 1 to the size of a square kernel matrix, not one of 3 x 4");
  for (const Index components : {-1, 0, 4})
    EXPECT_NE(message_of([&] { kernel_principal_components(Matrix::Ones(3, 3), components); }), "") << components;
  EXPECT_NE(message_of([] { kernel_principal_components(Matrix(0, 0), 0); }), "");
  Matrix broken = Matrix::Identity(3, 3);
  broken(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of([&] { kernel_principal_components(broken, 1); }), "");
}

}  // namespace
}  // namespace dsk::test
