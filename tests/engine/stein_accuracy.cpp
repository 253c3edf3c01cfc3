#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include "support/oracle.hpp"
#include "support/oracle_pairs.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr Index dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 31, 43, 64, 100, 129, 200};
constexpr double conditions[] = {1, 1e3, 1e6, 1e9, 1e12};

SpdBatch scaled(const SpdBatch& batch, double factor) {
  std::vector<double> values(batch.values().begin(), batch.values().end());
  for (double& value : values) value *= factor;
  return SpdBatch(values, batch.size(), batch.dim());
}

/// Few matrices where the oracle is slow, always more than a group where it is not.
Index count_for(Index dim) {
  return dim <= 17 ? 11 : dim <= 64 ? 5 : 3;
}

TEST(SteinAccuracy, MeetsTheOracleForAllSizesConditionsAndTargets) {
  for (const Index dim : dims)
    for (const double condition : conditions) {
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", condition " << condition);
      const Index count = count_for(dim);
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 7});
      const OraclePairs expected(x);
      on_every_target([&] {
        const Matrix divergence = PairSweep(x).divergences();
        EXPECT_LE((divergence - expected.divergence).cwiseAbs().maxCoeff(), tolerance(dim, condition));
        EXPECT_EQ(divergence, divergence.transpose());
        EXPECT_TRUE((divergence.diagonal().array() == 0).all());
        EXPECT_TRUE((divergence.array() >= 0).all());
        EXPECT_LE((PairSweep(x).logdets() - expected.logdet_of_mean).cwiseAbs().maxCoeff(), tolerance(dim, condition));
        EXPECT_EQ(PairSweep(x, x).divergences(), divergence);
      });
    }
}

TEST(SteinAccuracy, IsTheSameInAnyUnits) {
  for (const Index dim : {1, 5, 8, 27, 100}) {
    const SpdBatch x = random_spd({.count = 10, .dim = dim, .condition = 1e4, .seed = 3});
    const Matrix expected = PairSweep(x).divergences();
    for (const double factor : {1e-300, 1e-12, 1e12, 1e150}) {
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", times " << factor);
      on_every_target([&] {
        const Matrix found = PairSweep(scaled(x, factor)).divergences();
        EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance(dim, 1e4));
      });
    }
  }
}

TEST(SteinAccuracy, HoldsForMatricesOfVeryDifferentSize) {
  // Products of pivots underflow here: every pair takes the careful way.
  for (const Index dim : {2, 5, 8, 12, 20}) {
    const SpdBatch x = random_spd({.count = 9, .dim = dim, .condition = 10, .seed = 5});
    std::vector<double> values(x.values().begin(), x.values().end());
    for (Index i = 0; i < x.size(); ++i)
      for (Index k = 0; k < dim * dim; ++k) values[static_cast<std::size_t>(i * dim * dim + k)] *= std::pow(1e-30, i);
    const SpdBatch spread(values, x.size(), dim);
    on_every_target([&] {
      const Matrix found = PairSweep(spread).divergences();
      for (Index i = 0; i < x.size(); ++i)
        for (Index j = i; j < x.size(); ++j) {
          const double expected = static_cast<double>(stein_oracle(spread[i], spread[j]));
          EXPECT_NEAR(found(i, j), expected, tolerance(dim, 10, expected)) << i << " " << j;
        }
    });
  }
}

TEST(SteinAccuracy, IsInvariantUnderCongruence) {
  for (const double condition : {1e1, 1e4, 1e8})
    for (const Index dim : {3, 7, 24}) {
      const SpdBatch x = random_spd({.count = 9, .dim = dim, .condition = condition, .seed = 9});
      const SpdBatch factor = random_spd({.count = 1, .dim = dim, .condition = 3, .seed = 10});
      std::vector<double> values;
      for (Index i = 0; i < x.size(); ++i) {
        const Matrix moved = factor[0] * x[i] * factor[0].transpose();
        values.insert(values.end(), moved.data(), moved.data() + moved.size());
      }
      const Matrix before = PairSweep(x).divergences();
      const Matrix after = PairSweep(SpdBatch(values, x.size(), dim)).divergences();
      EXPECT_LE((before - after).cwiseAbs().maxCoeff(), tolerance(dim, 9 * condition));
    }
}

TEST(SteinAccuracy, Float32IsAsGoodAsFloatsAllow) {
  for (const Index dim : {1, 5, 8, 16, 43, 130}) {
    const SpdBatch x = random_spd({.count = 20, .dim = dim, .condition = 100, .seed = 2});
    const Matrix expected = PairSweep(x).divergences();
    on_every_target([&] {
      const Matrix found = PairSweep(x, {.precision = Precision::float32}).divergences();
      EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance_float32(dim, 100));
      EXPECT_EQ(found, found.transpose());
    });
  }
}

TEST(SteinAccuracy, LargeMatricesGoThroughTheBlockedWay) {
  const Index dim = 500;
  const SpdBatch x = random_spd({.count = 3, .dim = dim, .condition = 1e6, .seed = 4});
  const Matrix found = PairSweep(x).divergences();
  EXPECT_NEAR(found(0, 2), static_cast<double>(stein_oracle(x[0], x[2])), tolerance(dim, 1e6));
}

}  // namespace
}  // namespace dsk::test
