#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "engine/engine.hpp"
#include "support/oracle_eigen.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

std::vector<double> answer_of(DistanceQuery& query, const double* point, Index count) {
  std::vector<double> squared(static_cast<std::size_t>(count), -1);
  EXPECT_TRUE(query(point, squared.data()));
  return squared;
}

TEST(DistanceQuery, AgreesWithTheOracle) {
  for (const Index dim : {1, 2, 5, 8, 9, 16, 43})
    for (const double condition : {1.0, 1e3, 1e8}) {
      const SpdBatch known = random_spd({.count = 19, .dim = dim, .condition = condition, .seed = 1}),
                     x = random_spd({.count = 2, .dim = dim, .condition = condition, .scale = 3, .seed = 2});
      const auto stein = stein_query(known), airm = airm_query(known);
      for (const MatrixView matrix : x) {
        const std::vector<double> by_stein = answer_of(*stein, matrix.data(), 19),
                                  by_airm = answer_of(*airm, matrix.data(), 19);
        for (Index j = 0; j < 19; j += 6) {
          const auto k = static_cast<std::size_t>(j);
          EXPECT_NEAR(by_stein[k], static_cast<double>(stein_oracle(matrix, known[j])), tolerance(dim, condition));
          const auto squared = static_cast<double>(airm_squared(OracleMatrix::of(matrix), OracleMatrix::of(known[j])));
          EXPECT_NEAR(by_airm[k], squared, tolerance(dim, condition, squared));
        }
      }
    }
}

TEST(DistanceQuery, HasTheBitsOfAllPairs) {
  const Matrix long_rows = Matrix::Random(9, 1030), long_points = Matrix::Random(5, 1030);
  const Matrix by_long_rows = pairwise_squared_distances(long_points, long_rows);
  const auto of_long_rows = row_query(long_rows);
  for (Index i = 0; i < 5; ++i) {
    const std::vector<double> found = answer_of(*of_long_rows, &long_points(i, 0), 9);
    for (Index j = 0; j < 9; ++j) EXPECT_EQ(found[static_cast<std::size_t>(j)], by_long_rows(i, j));
  }
  for (const Index dim : {1, 3, 8, 12, 43, 130}) {
    const SpdBatch known = random_spd({.count = 21, .dim = dim, .condition = 100, .seed = 1}),
                   x = random_spd({.count = 3, .dim = dim, .condition = 50, .seed = 2});
    const auto stein = stein_query(known), airm = airm_query(known);
    const Matrix by_airm = pairwise_squared_airm(x, known), rows = Matrix::Random(21, dim),
                 others = Matrix::Random(3, dim), by_rows = pairwise_squared_distances(others, rows);
    const auto of_rows = row_query(rows);
    for (Index i = 0; i < 3; ++i) {
      // Divergences depend on the largest diagonal entries: those of the known matrices are the larger ones here.
      const Matrix by_stein = PairSweep(SpdBatch(std::vector<Matrix>{x[i]}), known).divergences();
      const std::vector<double> one = answer_of(*stein, x[i].data(), 21), other = answer_of(*airm, x[i].data(), 21),
                                row = answer_of(*of_rows, &others(i, 0), 21);
      for (Index j = 0; j < 21; ++j) {
        const auto k = static_cast<std::size_t>(j);
        EXPECT_NEAR(one[k], by_stein(0, j), tolerance(dim, 100));
        EXPECT_EQ(other[k], by_airm(i, j));
        EXPECT_EQ(row[k], by_rows(i, j));
      }
    }
  }
}

TEST(DistanceQuery, IsExactlyZeroForAKnownMatrix) {
  const SpdBatch known = random_spd({.count = 11, .dim = 7, .condition = 1e6});
  const auto stein = stein_query(known), airm = airm_query(known);
  for (Index i = 0; i < known.size(); ++i) {
    EXPECT_EQ(answer_of(*stein, known[i].data(), 11)[static_cast<std::size_t>(i)], 0);
    EXPECT_EQ(answer_of(*airm, known[i].data(), 11)[static_cast<std::size_t>(i)], 0);
  }
}

TEST(DistanceQuery, IsAccurateOrRefusesInOtherUnits) {
  const SpdBatch known = random_spd({.count = 3, .dim = 5});
  for (const double factor : {1e-200, 1e-30, 1e3}) {
    const Matrix far = factor * known[0];
    const std::vector<double> found = answer_of(*stein_query(known), far.data(), 3);
    for (Index j = 0; j < 3; ++j) {
      const auto expected = static_cast<double>(stein_oracle(far, known[j]));
      EXPECT_NEAR(found[static_cast<std::size_t>(j)], expected, tolerance(5, 10, expected));
    }
  }
  const Matrix huge = 1e60 * known[0];
  std::vector<double> squared(3);
  EXPECT_FALSE((*stein_query(known))(huge.data(), squared.data()));
}

}  // namespace
}  // namespace dsk::test
