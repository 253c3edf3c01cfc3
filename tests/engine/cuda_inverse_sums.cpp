#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <random>

#include "engine/cuda/pair_engine.hpp"
#include "engine/engine.hpp"
#include "support/cuda_device.hpp"
#include "support/flat_matrices.hpp"
#include "support/made_team.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class CudaInverseSums : public OnCuda {};

Matrix ones_off_diagonal(Index count) {
  return Matrix::Ones(count, count) - Matrix::Identity(count, count);
}

TEST_F(CudaInverseSums, AreTheSameBitsInStrips) {
  for (const Index dim : {5, 12, 16, 30, 44, 64, 70, 104, 110}) {
    const SpdBatch x = random_spd({.count = 90, .dim = dim});
    const Matrix weights = Matrix::Random(90, 90);
    const std::vector<double> ones(static_cast<std::size_t>(dim), 1);
    engine::cuda::SweepInput input;
    input.dim = static_cast<int>(dim);
    input.x = {x.values().data(), 90};
    input.factors = ones;
    const auto sweep = engine::cuda::make_device_sweep(input);
    const auto rows_of = [&](long first, long rows, Matrix& divergences, std::vector<double>& sums) {
      EXPECT_FALSE(sweep->compute(first, rows));
      divergences.resize(rows, 90);
      sweep->fetch(divergences.data());
      sweep->place_weights(first, rows, weights.data() + first * 90);
      EXPECT_FALSE(sweep->sum_weighted());
      sums.resize(static_cast<std::size_t>(rows * dim * dim));
      sweep->fetch_sums(sums.data());
    };
    Matrix whole, strip;
    std::vector<double> sums, of_strip;
    rows_of(0, 90, whole, sums);
    for (const auto& [first, rows] : {std::pair<long, long>{0, 1}, {1, 64}, {65, 25}}) {
      rows_of(first, rows, strip, of_strip);
      EXPECT_EQ(strip, whole.middleRows(first, rows)) << "d = " << dim << ", from row " << first;
      EXPECT_TRUE(std::equal(of_strip.begin(), of_strip.end(), sums.begin() + first * dim * dim))
          << "d = " << dim << ", from row " << first;
    }
  }
}

TEST_F(CudaInverseSums, OfRowsAreTheSameBitsInStrips) {
  for (const Index width : {3, 64, 150}) {
    const Matrix rows = Matrix::Random(90, width), weights = Matrix::Random(90, 90);
    engine::cuda::RowInput input;
    input.width = width;
    input.x = {rows.data(), 90};
    const auto sweep = engine::cuda::make_device_row_sweep(input);
    const auto rows_of = [&](long first, long count, Matrix& distances, Matrix& sums) {
      EXPECT_FALSE(sweep->compute(first, count));
      distances.resize(count, 90);
      sweep->fetch(distances.data());
      sweep->place_weights(first, count, weights.data() + first * 90);
      EXPECT_FALSE(sweep->sum_weighted());
      sums.resize(count, width);
      sweep->fetch_sums(sums.data());
    };
    Matrix whole, strip, sums, of_strip;
    rows_of(0, 90, whole, sums);
    for (const auto& [first, count] : {std::pair<long, long>{0, 1}, {1, 64}, {65, 25}}) {
      rows_of(first, count, strip, of_strip);
      EXPECT_EQ(strip, whole.middleRows(first, count)) << "width " << width << ", from row " << first;
      EXPECT_EQ(of_strip, sums.middleRows(first, count)) << "width " << width << ", from row " << first;
    }
  }
}

TEST_F(CudaInverseSums, OfATeamFailTogether) {
  const SpdBatch x = with_flat(random_spd({.count = 12, .dim = 5, .condition = 10}), {4, 10});
  as_team(3, [&](const Team& team) {
    const PairOptions shared{.precision = Precision::float32, .device = Device::cuda, .team = &team};
    try {
      PairSums(x, shared).weighted_inverses(ones_off_diagonal(12));
      ADD_FAILURE() << "nothing thrown";
    } catch (const PairFailure& failure) {
      EXPECT_EQ(failure.row(), 4);
      EXPECT_EQ(failure.column(), 10);
    }
  });
}

TEST_F(CudaInverseSums, NameTheFirstPairThatIsTooFlat) {
  for (const Index dim : {2, 5, 8, 12, 20, 40, 90}) {
    const SpdBatch x = with_flat(random_spd({.count = 12, .dim = dim, .condition = 10}), {4, 10});
    try {
      PairSums(x, cuda_single).weighted_inverses(ones_off_diagonal(12));
      FAIL() << "nothing thrown";
    } catch (const PairFailure& failure) {
      EXPECT_EQ(failure.row(), 4);
      EXPECT_EQ(failure.column(), 10);
    }
  }
}

}  // namespace
}  // namespace dsk::test
