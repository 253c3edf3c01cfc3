#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "spd/spd.hpp"
#include "support/message.hpp"
#include "support/oracle_eigen.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// Matrices of this condition number and, beside each, one whose eigenvalues differ by up to a thousandth.
SpdBatch near_duplicates(Index dim, double condition) {
  const SpdBatch x = random_spd({.count = 6, .dim = dim, .condition = condition, .seed = 3});
  const EigenBatch eigen = eigen_decompose(x);
  Matrix moved = eigen.values;
  for (Index k = 0; k < dim; ++k) moved.col(k) *= 1 + 1e-3 * std::sin(static_cast<double>(k + 1));
  const MatrixStack others = recompose(moved, eigen.vectors);
  std::vector<double> values;
  for (Index i = 0; i < x.size(); ++i)
    for (const MatrixView& one : {x[i], others[i]}) values.insert(values.end(), one.data(), one.data() + one.size());
  return SpdBatch(values, 2 * x.size(), dim);
}

/// The largest error of S between near-duplicates.
double largest_error(const SpdBatch& x, Precision precision) {
  const Matrix found =
      pairwise_distances(x, {.metric = Metric::stein, .squared = true, .pairs = {.precision = precision}});
  double error = 0;
  for (Index i = 0; i < x.size(); i += 2)
    error = std::max(error, std::abs(found(i, i + 1) - static_cast<double>(stein_oracle(x[i], x[i + 1]))));
  return error;
}

TEST(SteinAccuracy, BoundsTheErrorBetweenNearDuplicates) {
  for (const Index dim : {1, 3, 8, 20, 43, 130})
    for (const double condition : {1e1, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12}) {
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", condition " << condition);
      const SpdBatch x = near_duplicates(dim, condition);
      EXPECT_LE(largest_error(x, Precision::float64), stein_accuracy(x).error);
      if (condition < float32_condition_limit) {
        EXPECT_LE(largest_error(x, Precision::float32), stein_accuracy(x, Precision::float32).error);
      }
    }
}

TEST(SteinAccuracy, DependsOnNoUnits) {
  const SpdBatch x(std::vector<double>{1, 0.5, 0.5, 1}, 1, 2), y(std::vector<double>{1e-12, 5e-7, 5e-7, 1}, 1, 2);
  EXPECT_NEAR(stein_accuracy(x).condition, 3, 0.1);
  EXPECT_NEAR(stein_accuracy(y).condition, 3, 0.1);
  EXPECT_EQ(stein_accuracy(random_spd({.dim = 1})).condition, 1);
}

TEST(Kullback, OfNearDuplicatesKeepsItsDigits) {
  for (const Index dim : {1, 5, 20})
    for (const double condition : {1e1, 1e4, 1e6}) {
      const SpdBatch x = near_duplicates(dim, condition);
      const Matrix found = pairwise_distances(x, {.metric = Metric::kullback});
      for (Index i = 0; i < x.size(); i += 2) {
        const auto expected = static_cast<double>(kullback_oracle(OracleMatrix::of(x[i]), OracleMatrix::of(x[i + 1])));
        EXPECT_NEAR(found(i, i + 1) / expected, 1, std::max(1e-7, 1e-12 * condition)) << dim << " " << condition;
      }
    }
}

/// Around the largest matrices that are inverted in lanes, and across blocks of pairs, which are 16 x 64.
TEST(Kullback, MeetsTheOracleForAllConditionsOnEveryTarget) {
  for (const Index dim : {1, 2, 5, 16, 63, 64, 65})
    for (const double condition : {1e1, 1e4, 1e8, 1e12}) {
      const SpdBatch x = random_spd({.count = 3, .dim = dim, .condition = dim == 1 ? 1 : condition, .seed = 5});
      Matrix expected(3, 3);
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j)
          expected(i, j) =
              i == j ? 0 : static_cast<double>(kullback_oracle(OracleMatrix::of(x[i]), OracleMatrix::of(x[j])));
      on_every_target([&] {
        const Matrix found = pairwise_distances(x, {.metric = Metric::kullback});
        EXPECT_EQ(found.diagonal(), Eigen::VectorXd::Zero(3));
        for (Index i = 0; i < 3; ++i)
          for (Index j = 0; j < 3; ++j)
            EXPECT_NEAR(found(i, j), expected(i, j), tolerance(dim, condition, expected(i, j))) << dim << condition;
        EXPECT_EQ(pairwise_distances(x, {.metric = Metric::kullback_right}), found.transpose());
        EXPECT_EQ(pairwise_distances(x, x, {.metric = Metric::kullback}), found);
      });
    }
}

TEST(Kullback, OfAPairDependsOnNoOtherMatrixAndNoThread) {
  const SpdBatch x = random_spd({.count = 70, .dim = 6, .condition = 1e3, .seed = 5});
  const SpdBatch y = random_spd({.count = 19, .dim = 6, .condition = 1e5, .seed = 6});
  on_every_target([&] {
    const Matrix all = pairwise_distances(x, y, {.metric = Metric::kullback, .pairs = {.threads = 1}});
    EXPECT_EQ(pairwise_distances(x, y, {.metric = Metric::kullback, .pairs = {.threads = 3}}), all);
    EXPECT_EQ(pairwise_distances(y, x, {.metric = Metric::kullback_right}), all.transpose());
    for (const Index i : {0, 15, 16, 69})
      for (const Index j : {0, 7, 8, 18}) {
        const Matrix one =
            pairwise_distances(x.select(std::vector{i}), y.select(std::vector{j}), {.metric = Metric::kullback});
        EXPECT_EQ(one(0, 0), all(i, j)) << i << " " << j;
      }
  });
}

TEST(Kullback, IsTheSameInAnyUnits) {
  const SpdBatch x = random_spd({.count = 5, .dim = 4, .condition = 1e3, .seed = 5});
  const Matrix expected = pairwise_distances(x, {.metric = Metric::kullback});
  for (const double factor : {0x1p-1000, 0x1p-300, 0x1p-100, 0x1p300, 0x1p1000}) {
    std::vector<double> values(x.values().begin(), x.values().end());
    for (double& value : values) value *= factor;
    const Matrix found = pairwise_distances(SpdBatch(values, 5, 4), {.metric = Metric::kullback});
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance(4, 1e3, expected.maxCoeff())) << factor;
  }
}

TEST(Kullback, RefusesUnitsTooFarApart) {
  const SpdBatch x(std::vector<double>{1e-200, 0, 0, 1e-200, 1e150, 0, 0, 1e150}, 2, 2);
  EXPECT_THAT(message_of([&] { pairwise_distances(x, {.metric = Metric::kullback}); }),
              testing::HasSubstr("matrices 1 and 0 is above the largest double"));
}

}  // namespace
}  // namespace dsk::test
