#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "support/row_cases.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

TEST(RowSweep, SumsWeightedDifferencesOnEveryTarget) {
  for (const Index count : {1, 7, 64, 150})
    for (const Index width : {1, 8, 15, 136, 1500}) {
      const Matrix rows = normal_rows(count, width), weights = symmetric_weights(count);
      const Matrix expected = oracle_differences(rows, weights);
      on_every_target([&] {
        const WeightedInverses found = PairSums(rows).weighted_inverses(weights);
        EXPECT_LE((found.differences - expected).cwiseAbs().maxCoeff(), tolerance(count, 10)) << count << ", " << width;
      });
    }
}

TEST(RowSweep, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix rows = normal_rows(300, 55), weights = symmetric_weights(300);
  const WeightedInverses one = PairSums(rows, {.threads = 1}).weighted_inverses(weights);
  const WeightedInverses many = PairSums(rows, {.threads = 3}).weighted_inverses(weights);
  EXPECT_EQ(one.differences, many.differences);
  EXPECT_EQ(one.weight_sums, many.weight_sums);
}

}  // namespace
}  // namespace dsk::test
