#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>

#include "engine/cpu/pair_sums.hpp"
#include "support/flat_matrices.hpp"
#include "support/message.hpp"
#include "support/simd_targets.hpp"

namespace dsk::test {
namespace {

TEST(SteinSweep, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const auto& [count, dim] : {std::pair<Index, Index>{700, 5}, {300, 16}, {150, 43}}) {
    const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 1e3});
    const Matrix one = PairSweep(x, {.threads = 1}).divergences();
    for (const int threads : {2, 7}) EXPECT_EQ(PairSweep(x, {.threads = threads}).divergences(), one);
  }
}

TEST(SteinSweep, DoesNotDependOnOrderOrNeighbours) {
  on_every_target([] {
    for (const Index dim : {5, 8, 12}) {
      const SpdBatch x = random_spd({.count = 83, .dim = dim, .condition = 1e3, .seed = 1});
      std::vector<Index> order(83);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937(1));
      const Matrix whole = PairSweep(x).divergences();
      const Matrix shuffled = PairSweep(x.select(order)).divergences();
      for (Index i = 0; i < 83; ++i)
        for (Index j = 0; j < 83; ++j)
          ASSERT_EQ(shuffled(i, j), whole(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]));
    }
  });
}

TEST(SteinSweep, EqualMatricesAreExactlyZeroApart) {
  on_every_target([] {
    for (const Index dim : {2, 4, 8, 9, 30}) {
      const SpdBatch x = random_spd({.count = 3, .dim = dim, .condition = 1e6});
      const SpdBatch twins = x.select(std::vector<Index>{0, 1, 0, 2, 2, 1, 0, 1, 1, 2, 0, 2, 1, 0, 0, 2, 1});
      const Matrix s = PairSweep(twins).divergences();
      EXPECT_EQ(s(0, 2), 0);
      EXPECT_EQ(s(3, 4), 0);
      EXPECT_EQ(s(1, 16), 0);
      EXPECT_EQ(s(9, 15), 0);
      EXPECT_EQ(s(0, 1), s(2, 5));
      EXPECT_GT(s(0, 1), 0);
    }
  });
}

TEST(SteinSweep, CrossMatricesAgreeWithTheWhole) {
  on_every_target([] {
    for (const Index dim : {3, 6, 11})
      for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 70}, {70, 1}, {9, 64}, {66, 67}, {3, 5}}) {
        const SpdBatch all = random_spd({.count = rows + columns, .dim = dim, .condition = 100, .seed = 6});
        std::vector<Index> first(static_cast<std::size_t>(rows)), second(static_cast<std::size_t>(columns));
        std::iota(first.begin(), first.end(), 0);
        std::iota(second.begin(), second.end(), rows);
        const Matrix whole = PairSweep(all).divergences();
        const Matrix cross = PairSweep(all.select(first), all.select(second)).divergences();
        EXPECT_EQ(cross, whole.topRightCorner(rows, columns));
        EXPECT_EQ(PairSweep(all.select(second), all.select(first)).divergences(), cross.transpose());
      }
  });
}

TEST(SteinSweep, VisitorSeesEveryPairOnce) {
  for (const Index dim : {4, 10}) {
    const SpdBatch x = random_spd({.count = 141, .dim = dim}), y = random_spd({.count = 77, .dim = dim, .seed = 1});
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      const PairOptions options{.threads = 2, .precision = precision};
      Matrix seen = Matrix::Constant(141, 141, -1), crossed = Matrix::Constant(141, 77, -1);
      const auto into = [](Matrix& target) {
        return [&target, guard = std::make_shared<std::mutex>()](const PairSweep::Tile& tile) {
          const std::lock_guard lock(*guard);
          auto block = target.block(tile.row, tile.column, tile.values.rows(), tile.values.cols());
          EXPECT_TRUE((block.array() == -1).all());
          block = tile.values;
        };
      };
      PairSweep(x, options).visit(into(seen));
      const Matrix expected = PairSweep(x, options).divergences();
      for (Index i = 0; i < 141; ++i)
        for (Index j = i; j < 141; ++j) ASSERT_EQ(seen(i, j), expected(i, j));
      PairSweep(x, y, options).visit(into(crossed));
      EXPECT_EQ(crossed, PairSweep(x, y, options).divergences());
    }
  }
}

TEST(SteinSweep, VisitorsErrorsArrive) {
  const SpdBatch x = random_spd({.count = 600, .dim = 5});
  EXPECT_THROW(PairSweep(x).visit([](const PairSweep::Tile&) { throw std::runtime_error("enough"); }),
               std::runtime_error);
}

TEST(SteinSweep, NamesTheMatrixOrPairThatIsNotPositiveDefinite) {
  on_every_target([] {
    for (const Index dim : {2, 5, 9, 40}) {
      const SpdBatch x = with_flat(random_spd({.count = 12, .dim = dim, .condition = 10}), {4, 10});
      const PairOptions single{.precision = Precision::float32};
      EXPECT_NE(message_of([&] { PairSweep(x, single).divergences(); }).find("matrix 4 is not positive"),
                std::string::npos);
      try {
        engine::inverse_sums(x, Matrix(Matrix::Ones(12, 12)), single);
        FAIL() << "nothing thrown";
      } catch (const PairFailure& failure) {
        EXPECT_EQ(failure.row(), 4);
        EXPECT_EQ(failure.column(), 10);
        EXPECT_NE(std::string(failure.what()).find("matrices 4 and 10"), std::string::npos) << failure.what();
      }
      EXPECT_NO_THROW(PairSweep(x).divergences());
    }
  });
}

TEST(SteinSweep, RefusesOtherSizesAndNegativeThreads) {
  const SpdBatch x = random_spd({.count = 2, .dim = 3}), y = random_spd({.count = 2, .dim = 4});
  EXPECT_EQ(message_of([&] { PairSweep(x, y).divergences(); }),
            "matrices of size 3 cannot be compared with matrices of size 4");
  EXPECT_NE(message_of([&] { PairSweep(x, {.threads = -1}).divergences(); }), "");
}

TEST(SteinSweep, OneMatrixIsItsOwnPair) {
  for (const Index dim : {1, 5, 20}) {
    const Matrix s = PairSweep(random_spd({.count = 1, .dim = dim})).divergences();
    EXPECT_EQ(s, Matrix::Zero(1, 1));
  }
}

TEST(SteinSweep, RefusesMatricesTooSmallBesideTheOthers) {
  on_every_target([] {
    for (const Index dim : {1, 5, 12}) {
      const SpdBatch small = random_spd({.count = 9, .dim = dim, .scale = 1e-200});
      const SpdBatch large = random_spd({.count = 3, .dim = dim, .scale = 1e200});
      EXPECT_NE(message_of([&] { PairSweep(small, large).divergences(); }).find("matrix 0"), std::string::npos);
      EXPECT_NE(message_of([&] { PairSweep(large, small).divergences(); }).find("matrix 0"), std::string::npos);
    }
  });
}

}  // namespace
}  // namespace dsk::test
