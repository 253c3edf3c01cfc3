#include "engine/team/share.hpp"

#include <algorithm>
#include <cmath>

#include "engine/engine.hpp"

namespace dsk {

RowRange share_of_rows(Index rows, int rank, int ranks) {
  const auto end = [&](int k) { return (rows * k + ranks - 1) / ranks; };
  return {end(rank), end(rank + 1)};
}

namespace engine {

RowRange share_of_triangle(Index rows, int rank, int ranks) {
  // Behind the first r rows of n there are (n - r)^2 / 2 pairs left.
  const auto end = [&](int k) {
    const double left = static_cast<double>(ranks - k) / ranks;
    return k == ranks ? rows : rows - static_cast<Index>(std::llround(std::sqrt(left) * static_cast<double>(rows)));
  };
  return {end(rank), end(rank + 1)};
}

Rounds tournament(Index blocks) {
  Rounds rounds(1);
  for (Index b = 0; b < blocks; ++b) rounds[0].emplace_back(b, b);
  const Index players = blocks + blocks % 2, ring = players - 1;
  for (Index r = 0; blocks > 1 && r < ring; ++r) {
    auto& round = rounds.emplace_back();
    for (Index k = 0; k < players / 2; ++k) {
      const Index a = k == 0 ? ring : (r + k) % ring, b = (r - k + ring) % ring;
      if (std::max(a, b) < blocks) round.emplace_back(std::min(a, b), std::max(a, b));
    }
  }
  return rounds;
}

Rounds share_of(const Rounds& rounds, int rank, int ranks) {
  // A block against itself has half as many pairs as two blocks.
  const auto pairs = [](const Game& game) { return game.first == game.second ? 1 : 2; };
  Index all = 0, before = 0;
  for (const auto& round : rounds)
    for (const Game& game : round) all += pairs(game);
  Rounds share;
  for (const auto& round : rounds) {
    std::vector<Game> mine;
    for (const Game& game : round) {
      if (before * ranks / all == rank) mine.push_back(game);
      before += pairs(game);
    }
    if (!mine.empty()) share.push_back(std::move(mine));
  }
  return share;
}

}  // namespace engine
}  // namespace dsk
