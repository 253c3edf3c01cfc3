#include <dsk/mean.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/message.hpp"
#include "support/oracle_mean.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

TEST(TangentSpace, AgreesWithTheOracle) {
  for (const Index dim : {1, 2, 5, 16, 33})
    for (const double condition : {1.0, 1e3}) {
      const SpdBatch x = random_spd({.count = 3, .dim = dim, .condition = condition, .seed = 2});
      const TangentSpace space(x[0]);
      ASSERT_EQ(space.features(), dim * (dim + 1) / 2);
      const Matrix rows = space.map(x);
      ASSERT_EQ(rows.rows(), 3);
      ASSERT_EQ(rows.cols(), space.features());
      const OracleMatrix root = inverse_root(OracleMatrix::of(x[0]));
      for (Index i = 0; i < 3; ++i) {
        const OracleMatrix log =
            apply(product(root, product(OracleMatrix::of(x[i]), root)), [](Real value) { return std::log(value); });
        Index position = 0;
        for (Index r = 0; r < dim; ++r)
          for (Index c = r; c < dim; ++c) {
            const double factor = r == c ? 1 : std::numbers::sqrt2;
            EXPECT_NEAR(rows(i, position++), factor * static_cast<double>(log(r, c)),
                        tolerance(dim, condition * condition));
          }
      }
    }
}

TEST(TangentSpace, KeepsDistancesFromItsReference) {
  for (const Index dim : {1, 4, 9, 40})
    for (const double condition : {1.0, 1e2, 1e4, 1e6}) {
      const SpdBatch x = random_spd({.count = 12, .dim = dim, .condition = condition});
      const SpdBatch reference = random_spd({.count = 1, .dim = dim, .condition = condition, .seed = 9});
      const Matrix distances = pairwise_distances(x, reference, {.metric = Metric::airm});
      const Matrix rows = TangentSpace(reference[0]).map(x);
      for (Index i = 0; i < 12; ++i)
        EXPECT_NEAR(rows.row(i).norm(), distances(i, 0), tolerance(dim, condition * condition, distances(i, 0)));
    }
}

TEST(TangentSpace, ComesBack) {
  for (const Index dim : {1, 3, 8, 30})
    for (const double condition : {1.0, 1e4, 1e12}) {
      const SpdBatch x = random_spd({.count = 11, .dim = dim, .condition = condition});
      const TangentSpace space(mean(x).matrix);
      const SpdBatch found = space.back(space.map(x));
      ASSERT_EQ(found.size(), 11);
      for (Index i = 0; i < 11; ++i)
        EXPECT_LT((found[i] - x[i]).cwiseAbs().maxCoeff(), tolerance(dim, condition)) << dim << " " << condition;
    }
}

TEST(TangentSpace, IsZeroAtItsReference) {
  const SpdBatch x = random_spd({.count = 1, .dim = 7, .condition = 1e3});
  const TangentSpace space(x[0]);
  EXPECT_EQ(space.reference(), x[0]);
  EXPECT_LT(space.map(x).cwiseAbs().maxCoeff(), tolerance(7, 1e3));
  EXPECT_LT((space.back(Matrix::Zero(1, 28))[0] - x[0]).cwiseAbs().maxCoeff(), tolerance(7, 1));
}

TEST(TangentSpace, IsZeroOnAverageAtTheMean) {
  const SpdBatch x = random_spd({.count = 40, .dim = 6, .condition = 100});
  EXPECT_LT(TangentSpace(mean(x).matrix).map(x).colwise().mean().norm(), 1e-12);
}

TEST(TangentSpace, DoesNotDependOnThreads) {
  const SpdBatch x = random_spd({.count = 300, .dim = 20, .condition = 100});
  const TangentSpace space(mean(x).matrix);
  const Matrix rows = space.map(x, 1);
  EXPECT_EQ(space.map(x, 2), rows);
  const SpdBatch one = space.back(rows, 1), two = space.back(rows, 2);
  EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), two.values().begin()));
}

TEST(TangentSpace, RefusesBadInput) {
  const SpdBatch x = random_spd({.count = 2, .dim = 3});
  const TangentSpace space(x[0]);
  EXPECT_THAT(message_of([&] { space.map(random_spd({.dim = 4})); }), HasSubstr("4 x 4"));
  EXPECT_THAT(message_of([&] { space.back(Matrix::Zero(2, 5)); }), HasSubstr("rows have 5 numbers"));
  Matrix rows = Matrix::Zero(2, 6);
  rows(1, 2) = NAN;
  EXPECT_THAT(message_of([&] { space.back(rows); }), HasSubstr("row 1 contains NaN or Inf"));
  rows(1, 2) = 0;
  rows(1, 0) = 1e4;
  EXPECT_THAT(message_of([&] { space.back(rows); }), HasSubstr("row 1 leaves the range of double"));
  EXPECT_THAT(message_of([] { TangentSpace(Matrix::Zero(2, 3)); }), HasSubstr("shape (2, 3)"));
  EXPECT_THAT(message_of([] { TangentSpace(-Matrix::Identity(3, 3)); }), HasSubstr("indefinite"));
}

}  // namespace
}  // namespace dsk::test
