#include <gtest/gtest.h>

#include <random>

#include "engine/engine.hpp"
#include "support/message.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

Matrix random_rows(Index rows, Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Matrix result(rows, columns);
  for (Index k = 0; k < result.size(); ++k) result.data()[k] = normal(random);
  return result;
}

TEST(SquaredDistance, SumsSquaresOfDifferences) {
  for (const Index rows : {1, 3, 8, 67, 130})
    for (const Index columns : {1, 2, 15, 136, 1023, 1024, 1025, 2053}) {
      // From 1024 on, rows are not interleaved.
      if (columns > 1000 && rows > 67) continue;
      const Matrix x = random_rows(rows, columns, 1), y = random_rows(rows + 5, columns, 2);
      on_every_target([&] {
        const Matrix within = pairwise_squared_distances(x), across = pairwise_squared_distances(x, y);
        EXPECT_EQ(within, within.transpose());
        EXPECT_EQ(within, pairwise_squared_distances(x, x));
        const Matrix single = pairwise_squared_distances(x, {.precision = Precision::float32});
        for (Index i = 0; i < rows; ++i) {
          EXPECT_EQ(within(i, i), 0);
          for (Index j = 0; j < rows; ++j) {
            const double expected = (x.row(i) - x.row(j)).squaredNorm();
            ASSERT_NEAR(within(i, j), expected, tolerance(columns, 1, expected));
            ASSERT_NEAR(single(i, j), expected, tolerance_float32(columns, 1, expected));
          }
          for (Index j = 0; j < y.rows(); ++j) {
            const double expected = (x.row(i) - y.row(j)).squaredNorm();
            ASSERT_NEAR(across(i, j), expected, tolerance(columns, 1, expected));
          }
        }
      });
    }
}

TEST(SquaredDistance, GivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix x = random_rows(700, 50, 3);
  const Matrix one = pairwise_squared_distances(x, {.threads = 1});
  for (const int threads : {2, 7}) EXPECT_EQ(pairwise_squared_distances(x, {.threads = threads}), one);
  const Matrix wide = random_rows(70, 1500, 4);
  EXPECT_EQ(pairwise_squared_distances(wide, {.threads = 3}), pairwise_squared_distances(wide, {.threads = 1}));
}

TEST(SquaredDistance, RefusesRowsOfOtherLength) {
  EXPECT_EQ(message_of([] { pairwise_squared_distances(Matrix(2, 3), Matrix(2, 4)); }),
            "rows of 3 numbers cannot be compared with rows of 4");
}

}  // namespace
}  // namespace dsk::test
