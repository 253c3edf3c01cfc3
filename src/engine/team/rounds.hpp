#pragma once

#include <dsk/matrices.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace dsk::engine {

/// Two blocks to be compared.
using Game = std::pair<Index, Index>;
using Rounds = std::vector<std::vector<Game>>;

/// All pairs of blocks, the pairs of a block with itself first, in rounds such as a chess tournament's: no block occurs
/// twice in a round. Sums kept per block can so be added to by many threads without locks, and always in the same
/// order.
inline Rounds tournament(Index blocks) {
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

}  // namespace dsk::engine
