#pragma once

#include <dsk/engine.hpp>

#include <utility>
#include <vector>

#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"

namespace dsk::engine {

/// Two blocks to be compared.
using Game = std::pair<Index, Index>;
using Rounds = std::vector<std::vector<Game>>;

/// All pairs of blocks, the pairs of a block with itself first, in rounds such as a chess tournament's: no block occurs
/// twice in a round. Sums kept per block can so be added to by many threads without locks, and always in the same
/// order.
Rounds tournament(Index blocks);

/// One rank's part of a tournament: consecutive games, so that its threads find whole rounds, with as many pairs of
/// matrices as the other ranks get, up to one game.
Rounds share_of(const Rounds& rounds, int rank, int ranks);
inline Rounds share_of(const Rounds& rounds, const Team* team) {
  return team == nullptr ? rounds : share_of(rounds, team->rank(), team->size());
}

/// The rows of one rank where row i has the columns behind i only: of as many pairs as the others have, up to a row.
RowRange share_of_triangle(Index rows, int rank, int ranks);

/// Of what all ranks found, the first in row order.
inline PairPosition first_of_all(const PairPosition& mine, const Team* team) {
  if (team == nullptr) return mine;
  PairPosition first;
  for (const std::string& bytes : team->gather(Parcel().put(mine).bytes())) {
    const auto found = OpenParcel(bytes).take<PairPosition>();
    if (found.found() && (!first.found() || found.before(first))) first = found;
  }
  return first;
}

/// Whether a matrix of pairs is worth exchanging: below this cost each rank has computed an entry before it would have
/// got it from another.
inline const Team* team_for_matrix(const Team* team, double operations_per_pair) {
  constexpr double operations_of_an_exchange = 2000;
  return operations_per_pair > operations_of_an_exchange ? team : nullptr;
}

/// Whether entry number `k` is this rank's.
inline bool is_mine(Index k, const Team* team) {
  return team == nullptr || k % team->size() == team->rank();
}

}  // namespace dsk::engine
