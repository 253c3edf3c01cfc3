#include <dsk/engine.hpp>

#include <gtest/gtest.h>

#include <cstddef>

#include "engine/cuda/kernels.hpp"
#include "engine/engine.hpp"

namespace dsk::test {
namespace {

using namespace engine::cuda;

constexpr long million = 1'000'000;
constexpr std::size_t gibibyte = std::size_t{1} << 30;

TEST(DeviceNumbers, PairsOfAMillionMatricesAreToldApart) {
  for (const long row : {0L, 1L, 4'294L, 4'295L, million / 2, million - 1})
    for (const long column : {0L, 1L, 967'296L, million - 1}) {
      const PairNumber pair = pair_of_number(number_of_pair(row, column, million), million);
      EXPECT_EQ(pair.row, row);
      EXPECT_EQ(pair.column, column);
    }
  EXPECT_EQ(number_of_pair(million - 1, million - 1, million), 999'999'999'999ULL);
}

/// The rows that are on the device at once are what the matrices leave room for, not all of them.
TEST(DeviceNumbers, RowsOfAMillionMatricesFindRoom) {
  for (const std::size_t free : {gibibyte, 8 * gibibyte, 139 * gibibyte}) {
    const long rows = rows_for(free, million, million);
    EXPECT_GE(rows, 1);
    EXPECT_LE(static_cast<std::size_t>(rows) * million * sizeof(double), free / 2);
    EXPECT_GT(static_cast<std::size_t>(rows + 1) * million * sizeof(double), free / 2);
  }
  EXPECT_EQ(rows_for(1000, million, million), 1);
  EXPECT_EQ(rows_for(139 * gibibyte, 50'000, 50'000), 50'000);
  EXPECT_EQ(rows_for(139 * gibibyte, 3 * million, 10), most_rows);
}

TEST(DeviceNumbers, AMillionMatricesTakeAsManyNumbersAsTheirTriangles) {
  EXPECT_EQ(elements_of(5) * million, 15 * million);
  EXPECT_EQ(elements_of(64) * million, 2'080 * million);
  EXPECT_EQ(tiled_numbers(100) * million, 91L * 64 * million);
  const GridLayout layout{.row_lanes = 4, .column_lanes = 2, .together = 4, .numbers = 96};
  EXPECT_EQ(layout.numbers * layout.padded(million + 1), 96 * (million + 4));
}

TEST(DeviceNumbers, RanksShareTheRowsOfAMillionMatrices) {
  constexpr int ranks = 7;
  Index next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const RowRange rows = share_of_rows(million, rank, ranks);
    EXPECT_EQ(rows.first, next);
    EXPECT_NEAR(static_cast<double>(rows.last - rows.first), million / 7.0, 1);
    next = rows.last;
  }
  EXPECT_EQ(next, million);
}

}  // namespace
}  // namespace dsk::test
