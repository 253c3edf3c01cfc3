#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "engine/cpu/pair_sums.hpp"
#include "engine/engine.hpp"
#include "engine/team/share.hpp"
#include "support/made_team.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(Shares, HaveEveryGameOnceAndAreEven) {
  for (const Index blocks : {1, 2, 3, 16, 79}) {
    const engine::Rounds rounds = engine::tournament(blocks);
    for (const int ranks : {1, 2, 3, 7, 64}) {
      std::map<engine::Game, int> times;
      for (int rank = 0; rank < ranks; ++rank) {
        Index work = 0;
        for (const auto& round : engine::share_of(rounds, rank, ranks)) {
          std::vector<Index> players;
          for (const auto& [a, b] : round) {
            ++times[{a, b}];
            work += a == b ? 1 : 2;
            players.push_back(a);
            if (a != b) players.push_back(b);
          }
          std::sort(players.begin(), players.end());
          EXPECT_EQ(std::unique(players.begin(), players.end()), players.end()) << "a block twice in a round";
        }
        EXPECT_LE(std::abs(work - blocks * blocks / ranks), 3) << blocks << " blocks, rank " << rank << " of " << ranks;
      }
      EXPECT_EQ(static_cast<Index>(times.size()), blocks * (blocks + 1) / 2);
      for (const auto& [game, count] : times) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Shares, OfRowsCoverThemInOrder) {
  for (const Index rows : {0, 1, 5, 64, 1001})
    for (const int ranks : {1, 2, 3, 8, 64}) {
      Index next = 0, next_of_triangle = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const RowRange mine = share_of_rows(rows, rank, ranks), triangle = engine::share_of_triangle(rows, rank, ranks);
        EXPECT_EQ(mine.first, next);
        EXPECT_EQ(triangle.first, next_of_triangle);
        EXPECT_LE(std::abs((mine.last - mine.first) - rows / ranks), 1);
        EXPECT_LE(triangle.first, triangle.last);
        const Index left = rows - triangle.first, behind = rows - triangle.last;
        EXPECT_NEAR(static_cast<double>(left * left - behind * behind), static_cast<double>(rows * rows) / ranks,
                    2.5 * static_cast<double>(rows));
        next = mine.last;
        next_of_triangle = triangle.last;
      }
      EXPECT_EQ(next, rows);
      EXPECT_EQ(next_of_triangle, rows);
    }
}

TEST(Teams, VisitEveryPairOnce) {
  const SpdBatch x = random_spd({.count = 150, .dim = 3});
  const Matrix whole = PairSweep(x).divergences();
  for (const int ranks : {2, 3, 5}) {
    Matrix visited = Matrix::Constant(x.size(), x.size(), -1);
    std::mutex mutex;
    as_team(ranks, [&](const Team& team) {
      PairSweep(x, {.threads = 2, .team = &team}).visit([&](const PairSweep::Tile& tile) {
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

TEST(Teams, MakeTheSameMatricesToTheBit) {
  for (const Index dim : {3, 20}) {
    const SpdBatch x = random_spd({.count = 70, .dim = dim}), y = random_spd({.count = 33, .dim = dim, .seed = 5});
    const auto check = [&](const auto& compute) {
      const Matrix whole = compute(PairOptions{});
      as_team(3, [&](const Team& team) { EXPECT_EQ(compute(PairOptions{.threads = 1, .team = &team}), whole); });
    };
    check([&](const PairOptions& options) { return PairSweep(x, options).divergences(); });
    check([&](const PairOptions& options) { return PairSweep(x, y, options).logdets(); });
    check([&](const PairOptions& options) { return pairwise_squared_airm(x, options); });
    check([&](const PairOptions& options) { return pairwise_squared_airm(x, y, options); });
    check([&](const PairOptions& options) { return pairwise_thompson(x, nullptr, options); });
    check([&](const PairOptions& options) { return pairwise_squared_wasserstein(x, &y, options); });
  }
}

TEST(Teams, AddUpToTheSumsOfInverses) {
  const SpdBatch x = random_spd({.count = 130, .dim = 6});
  const engine::PairWeights weights = [](const engine::PairStrip& strip, std::span<double> result) {
    std::copy(strip.kernel.begin(), strip.kernel.end(), result.begin());
  };
  const MatrixStack whole = engine::inverse_sums(x, weights)[0];
  double largest = 0;
  for (const double value : whole.values) largest = std::max(largest, std::abs(value));
  for (const int ranks : {2, 3, 40})
    as_team(ranks, [&](const Team& team) {
      MatrixStack sums = engine::inverse_sums(x, weights, {.options = {.threads = 1, .team = &team}})[0];
      team.sum(sums.values);
      for (std::size_t k = 0; k < sums.values.size(); ++k)
        EXPECT_NEAR(sums.values[k], whole.values[k], 1e-13 * largest);
    });
}

TEST(Teams, FailTogether) {
  // In single precision the mean of matrices 4 and 10 is singular, which one rank alone sees.
  std::vector<double> values(160, 0.0);
  for (std::size_t i = 0; i < 40; ++i) {
    const bool flat = i == 4 || i == 10;
    values[4 * i] = 1;
    values[4 * i + 1] = values[4 * i + 2] = flat ? 1 : 0;
    values[4 * i + 3] = flat ? 1 + 1e-12 : 1;
  }
  const SpdBatch x(values, 40, 2);
  as_team(3, [&](const Team& team) {
    const auto complaint = message_of([&] {
      together(&team, [&] {
        if (team.rank() > 0) throw InvalidInput("rank " + std::to_string(team.rank()));
      });
    });
    EXPECT_EQ(complaint, "rank 1");
    try {
      together(&team, [&] {
        if (team.rank() == 2) throw PairFailure(7, 9);
      });
      ADD_FAILURE() << "nothing thrown";
    } catch (const PairFailure& failure) {  // not only its base type
      EXPECT_EQ(failure.row(), 7);
      EXPECT_EQ(failure.column(), 9);
    }
    EXPECT_EQ(message_of([&] { on_rank_zero(&team, [] { throw InvalidInput("of the first"); }); }), "of the first");
    EXPECT_EQ(message_of([&] { on_rank_zero(&team, [] {}); }), "");
    const engine::PairPosition mine =
        team.rank() == 0 ? engine::PairPosition{} : engine::PairPosition{5 - team.rank(), 2};
    EXPECT_EQ(engine::first_of_all(mine, &team).row, 3);
    const PairOptions single{.precision = Precision::float32, .team = &team};
    EXPECT_NE(
        message_of([&] { engine::inverse_sums(x, Matrix(Matrix::Ones(40, 40)), single); }).find("matrices 4 and 10"),
        std::string::npos);
  });
}

TEST(Teams, CollectInOrder) {
  std::vector<double> seen;
  as_team(3, [&](const Team& team) {
    const std::vector<double> mine(static_cast<std::size_t>(team.rank() + 1), team.rank());
    team.collect(mine,
                 [&](int, std::span<const double> values) { seen.insert(seen.end(), values.begin(), values.end()); });
  });
  EXPECT_EQ(seen, (std::vector<double>{0, 1, 1, 2, 2, 2}));
}

}  // namespace
}  // namespace dsk::test
