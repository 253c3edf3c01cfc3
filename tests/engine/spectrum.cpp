#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "support/oracle_eigen.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

TEST(PairSquaredAirm, AgreesWithTheOracleOnEveryTarget) {
  // Counts that leave one group, two groups and parts of groups.
  for (const Index count : {2, 9, 18})
    for (const Index dim : {1, 2, 3, 6, 11}) {
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 1e5, .seed = 11});
      Matrix expected = Matrix::Zero(count, count);
      for (Index i = 0; i < count; ++i)
        for (Index j = i + 1; j < count; ++j)
          expected(j, i) = expected(i, j) =
              static_cast<double>(airm_squared(OracleMatrix::of(x[i]), OracleMatrix::of(x[j])));
      const double allowed = tolerance(dim, 1e5, expected.maxCoeff());
      on_every_target([&] {
        EXPECT_LT((pairwise_squared_airm(x) - expected).cwiseAbs().maxCoeff(), allowed);
        EXPECT_LT((pairwise_squared_airm(x, x) - expected).cwiseAbs().maxCoeff(), allowed);
      });
    }
}

TEST(PairSpectra, AgreeWithTheOracleOnEveryTarget) {
  for (const Index count : {2, 9, 18})
    for (const Index dim : {1, 2, 3, 6, 11}) {
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 1e4, .seed = 12});
      Matrix thompson = Matrix::Zero(count, count), wasserstein = thompson;
      for (Index i = 0; i < count; ++i)
        for (Index j = i + 1; j < count; ++j) {
          const OracleMatrix a = OracleMatrix::of(x[i]), b = OracleMatrix::of(x[j]);
          thompson(j, i) = thompson(i, j) = static_cast<double>(thompson_oracle(a, b));
          wasserstein(j, i) = wasserstein(i, j) = static_cast<double>(wasserstein_squared(a, b));
        }
      on_every_target([&] {
        EXPECT_LT((pairwise_thompson(x, nullptr) - thompson).cwiseAbs().maxCoeff(), tolerance(dim, 1e4, 10));
        EXPECT_LT((pairwise_thompson(x, &x) - thompson).cwiseAbs().maxCoeff(), tolerance(dim, 1e4, 10));
        EXPECT_LT((pairwise_squared_wasserstein(x, nullptr) - wasserstein).cwiseAbs().maxCoeff(), tolerance(dim, 10));
        EXPECT_LT((pairwise_squared_wasserstein(x, &x) - wasserstein).cwiseAbs().maxCoeff(), tolerance(dim, 10));
      });
    }
}

TEST(PairSquaredAirm, DoesNotDependOnNeighbours) {
  const SpdBatch x = random_spd({.count = 30, .dim = 9, .condition = 1e3});
  const Matrix whole = pairwise_squared_airm(x);
  for (Index i = 0; i < 30; i += 7)
    for (Index j = i + 1; j < 30; j += 3)
      EXPECT_EQ(whole(i, j), pairwise_squared_airm(x.select(std::vector<Index>{i, j}))(0, 1));
}

TEST(PairSpectra, OfManyWithFewAreThoseOfFewWithMany) {
  // As many that they are cut into parts for the threads.
  const SpdBatch many = random_spd({.count = 420, .dim = 3, .condition = 50, .seed = 1});
  const SpdBatch few = random_spd({.count = 3, .dim = 3, .condition = 50, .seed = 2});
  const PairOptions two{.threads = 2}, one{.threads = 1};
  const Matrix airm = pairwise_squared_airm(many, few, one);
  EXPECT_EQ(airm, pairwise_squared_airm(many, few, two));
  EXPECT_EQ(airm, pairwise_squared_airm(few, many, two).transpose());
  EXPECT_EQ(pairwise_thompson(many, &few, one), pairwise_thompson(few, &many, two).transpose());
  EXPECT_EQ(pairwise_squared_wasserstein(many, &few, one), pairwise_squared_wasserstein(few, &many, two).transpose());
  for (const Index i : {0, 100, 383, 384, 419}) {
    EXPECT_EQ(airm.row(i), pairwise_squared_airm(many.select(std::vector<Index>{i}), few, one).row(0));
    for (Index j = 0; j < 3; ++j) {
      const auto expected = static_cast<double>(airm_squared(OracleMatrix::of(many[i]), OracleMatrix::of(few[j])));
      EXPECT_NEAR(airm(i, j), expected, tolerance(3, 50 * 50, expected));
    }
  }
}

TEST(PairSquaredAirm, MeetsTheOracleWhereLanesDifferInCondition) {
  // Pairs of all conditions side by side in one vector: some from squares, some from the factors themselves.
  const double conditions[] = {1e1, 1e3, 1e6, 1e9, 1e12};
  for (const Index dim : {2, 5, 12, 17}) {
    std::vector<Matrix> matrices;
    std::vector<double> condition_of;
    for (int k = 0; k < 10; ++k) {
      condition_of.push_back(conditions[k % 5]);
      const auto seed = static_cast<unsigned>(20 + k);
      matrices.emplace_back(random_spd({.count = 1, .dim = dim, .condition = condition_of.back(), .seed = seed})[0]);
    }
    const SpdBatch x(matrices);
    on_every_target([&] {
      const Matrix found = pairwise_squared_airm(x);
      for (Index i = 0; i < x.size(); ++i)
        for (Index j = 0; j < i; ++j) {
          const double expected = static_cast<double>(airm_squared(OracleMatrix::of(x[i]), OracleMatrix::of(x[j])));
          const double condition =
              std::max(condition_of[static_cast<std::size_t>(i)], condition_of[static_cast<std::size_t>(j)]);
          EXPECT_NEAR(found(i, j), expected, tolerance(dim, condition, expected)) << dim << ", " << i << ", " << j;
          EXPECT_EQ(found(i, j), pairwise_squared_airm(x.select(std::vector<Index>{j, i}))(0, 1));
        }
    });
  }
}

}  // namespace
}  // namespace dsk::test
