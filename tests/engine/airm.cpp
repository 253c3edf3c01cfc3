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

TEST(PairSquaredAirm, DoesNotDependOnNeighbours) {
  const SpdBatch x = random_spd({.count = 30, .dim = 9, .condition = 1e3});
  const Matrix whole = pairwise_squared_airm(x);
  for (Index i = 0; i < 30; i += 7)
    for (Index j = i + 1; j < 30; j += 3)
      EXPECT_EQ(whole(i, j), pairwise_squared_airm(x.select(std::vector<Index>{i, j}))(0, 1));
}

}  // namespace
}  // namespace dsk::test
