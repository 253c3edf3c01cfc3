#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <mutex>

#include "support/cuda_device.hpp"
#include "support/flat_matrices.hpp"
#include "support/made_team.hpp"
#include "support/message.hpp"
#include "support/oracle.hpp"
#include "support/oracle_pairs.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class CudaStein : public OnCuda {};

Index count_for(Index dim) {
  return dim <= 17 ? 37 : dim <= 64 ? 9 : 3;
}

TEST_F(CudaStein, MeetsTheOracleForAllSizesAndConditions) {
  for (const Index dim : {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13,  14,  15,  16,  17, 18,
                          19, 20, 21, 23, 24, 25, 28, 29, 32, 33,  36,  37,  40,  41,  43,  44,  45, 48,
                          49, 56, 57, 63, 64, 65, 72, 80, 81, 100, 112, 113, 129, 200, 216, 217, 230})
    for (const double condition : {1.0, 1e3, 1e6, 1e9, 1e12}) {
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", condition " << condition);
      const Index count = count_for(dim);
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 7});
      const OraclePairs expected(x);
      const Matrix divergence = PairSweep(x, cuda).divergences();
      EXPECT_LE((divergence - expected.divergence).cwiseAbs().maxCoeff(), tolerance(dim, condition));
      EXPECT_EQ(divergence, divergence.transpose());
      EXPECT_TRUE((divergence.diagonal().array() == 0).all());
      EXPECT_TRUE((divergence.array() >= 0).all());
      EXPECT_LE((PairSweep(x, cuda).logdets() - expected.logdet_of_mean).cwiseAbs().maxCoeff(),
                tolerance(dim, condition));
      EXPECT_EQ(PairSweep(x, x, cuda).divergences(), divergence);
    }
}

TEST_F(CudaStein, AgreesWithTheCpuOnManyPairs) {
  for (const auto& [count, dim] :
       {std::pair<Index, Index>{3001, 5}, {1000, 8}, {517, 16}, {300, 20}, {200, 43}, {70, 100}, {40, 200}}) {
    SCOPED_TRACE(testing::Message() << count << " of d = " << dim);
    const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 1e4, .seed = 3});
    const Matrix found = PairSweep(x, cuda).divergences();
    EXPECT_LE((found - PairSweep(x).divergences()).cwiseAbs().maxCoeff(), tolerance(dim, 1e4));
    EXPECT_EQ(found, PairSweep(x, cuda).divergences());
    Matrix visited = Matrix::Constant(count, count, -1);
    PairSweep(x, cuda).visit([&](const PairSweep::Tile& tile) {
      visited.block(tile.row, tile.column, tile.values.rows(), tile.values.cols()) = tile.values;
      visited.block(tile.column, tile.row, tile.values.cols(), tile.values.rows()) = tile.values.transpose();
    });
    EXPECT_EQ(visited, found);
  }
}

TEST_F(CudaStein, SharesTheRowsWithATeam) {
  for (const Index dim : {4, 20}) {
    const SpdBatch x = random_spd({.count = 150, .dim = dim}), y = random_spd({.count = 33, .dim = dim, .seed = 5});
    const Matrix whole = PairSweep(x, cuda).divergences();
    const Matrix both = PairSweep(x, y, cuda).divergences();
    for (const int ranks : {2, 3, 5}) {
      Matrix visited = Matrix::Constant(x.size(), x.size(), -1);
      std::mutex mutex;
      as_team(ranks, [&](const Team& team) {
        const PairOptions shared{.device = Device::cuda, .team = &team};
        EXPECT_EQ(PairSweep(x, shared).divergences(), whole);
        EXPECT_EQ(PairSweep(x, y, shared).divergences(), both);
        PairSweep(x, shared).visit([&](const PairSweep::Tile& tile) {
          EXPECT_TRUE(tile.row != tile.column || tile.values.rows() == tile.values.cols());
          const std::scoped_lock lock(mutex);
          auto place = visited.block(tile.row, tile.column, tile.values.rows(), tile.values.cols());
          EXPECT_TRUE((place.array() == -1).all());
          place = tile.values;
        });
      });
      for (Index i = 0; i < x.size(); ++i)
        for (Index j = i; j < x.size(); ++j) EXPECT_EQ(visited(i, j), whole(i, j));
    }
  }
}

TEST_F(CudaStein, OfATeamRefusesTogetherWhatOneRankAloneSees) {
  const SpdBatch x = with_flat(random_spd({.count = 2, .dim = 5, .condition = 10}), {1});
  const std::string expected = message_of([&] { PairSweep(x, {.precision = Precision::float32}).divergences(); });
  EXPECT_NE(expected, "");
  as_team(3, [&](const Team& team) {  // one of them has no row
    const PairOptions shared{.precision = Precision::float32, .device = Device::cuda, .team = &team};
    EXPECT_EQ(message_of([&] { PairSweep(x, shared).divergences(); }), expected);
  });
}

TEST_F(CudaStein, TakesMoreRowsThanAGridHasBlocksFor) {
  const SpdBatch few = random_spd({.count = 7, .dim = 2, .condition = 10});
  const Index many = 2100000;
  std::vector<double> values;
  for (Index i = 0; i < many; ++i)
    values.insert(values.end(), few[i % 7].data(), few[i % 7].data() + few[i % 7].size());
  const Matrix found = PairSweep(SpdBatch(values, many, 2), few, cuda).divergences();
  const Matrix expected = PairSweep(few, cuda).divergences();
  for (const Index i : {Index{0}, Index{1000000}, Index{2097119}, Index{2097120}, many - 1})
    EXPECT_EQ(Matrix(found.row(i)), Matrix(expected.row(i % 7))) << i;
}

TEST_F(CudaStein, ComputesOnTheChosenDevice) {
  const SpdBatch x = random_spd({.count = 20, .dim = 5});
  const Matrix expected = PairSweep(x, cuda).divergences();
  // More than any machine has: they are counted round.
  for (const int number : {0, 1000, 1001}) {
    choose_cuda_device(number);
    EXPECT_TRUE(cuda_status().usable);
    EXPECT_EQ(PairSweep(x, cuda).divergences(), expected);
  }
  choose_cuda_device(0);
}

TEST_F(CudaStein, ComparesTwoBatches) {
  for (const Index dim : {1, 6, 14, 19, 30, 44, 60, 70, 90, 110}) {
    const SpdBatch x = random_spd({.count = 70, .dim = dim, .condition = 100, .seed = 1});
    const SpdBatch y = random_spd({.count = 35, .dim = dim, .condition = 100, .seed = 2});
    const Matrix found = PairSweep(x, y, cuda).divergences();
    EXPECT_LE((found - PairSweep(x, y).divergences()).cwiseAbs().maxCoeff(), tolerance(dim, 100));
  }
}

TEST_F(CudaStein, IsTheSameInAnyUnits) {
  for (const Index dim : {1, 5, 8, 16, 27, 100})
    for (const double factor : {1e-300, 1e-12, 1e12, 1e150}) {
      const SpdBatch x = random_spd({.count = 10, .dim = dim, .condition = 1e4, .seed = 3});
      std::vector<double> values(x.values().begin(), x.values().end());
      for (double& value : values) value *= factor;
      const SpdBatch scaled(values, x.size(), dim);
      EXPECT_LE((PairSweep(scaled, cuda).divergences() - PairSweep(x).divergences()).cwiseAbs().maxCoeff(),
                tolerance(dim, 1e4))
          << "d = " << dim << ", times " << factor;
    }
}

TEST_F(CudaStein, HoldsForMatricesOfVeryDifferentSize) {
  for (const Index dim : {2, 5, 8, 12, 20}) {
    const SpdBatch x = random_spd({.count = 9, .dim = dim, .condition = 10, .seed = 5});
    std::vector<double> values(x.values().begin(), x.values().end());
    for (Index i = 0; i < x.size(); ++i)
      for (Index k = 0; k < dim * dim; ++k) values[static_cast<std::size_t>(i * dim * dim + k)] *= std::pow(1e-30, i);
    const SpdBatch spread(values, x.size(), dim);
    const Matrix found = PairSweep(spread, cuda).divergences();
    for (Index i = 0; i < x.size(); ++i)
      for (Index j = i; j < x.size(); ++j) {
        const double expected = static_cast<double>(stein_oracle(spread[i], spread[j]));
        EXPECT_NEAR(found(i, j), expected, tolerance(dim, 10, expected)) << i << " " << j;
      }
  }
}

TEST_F(CudaStein, Float32IsAsGoodAsFloatsAllow) {
  for (const Index dim : {1, 5, 8, 16, 17, 24, 32, 43, 64, 65, 104, 130}) {
    const SpdBatch x = random_spd({.count = 40, .dim = dim, .condition = 100, .seed = 2});
    const Matrix found = PairSweep(x, cuda_single).divergences();
    EXPECT_LE((found - PairSweep(x).divergences()).cwiseAbs().maxCoeff(), tolerance_float32(dim, 100));
    EXPECT_EQ(found, found.transpose());
  }
}

TEST_F(CudaStein, NamesTheFirstMatrixThatIsTooFlat) {
  for (const Index dim : {2, 5, 8, 16, 24, 43, 64, 104}) {
    const SpdBatch x = with_flat(random_spd({.count = 12, .dim = dim, .condition = 10}), {4, 10});
    EXPECT_EQ(message_of([&] { PairSweep(x, cuda_single).divergences(); }),
              message_of([&] { PairSweep(x, {.precision = Precision::float32}).divergences(); }));
    EXPECT_NO_THROW(PairSweep(x, cuda).divergences());
  }
}

}  // namespace
}  // namespace dsk::test
