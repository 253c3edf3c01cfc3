#pragma once

#include <algorithm>
#include <cmath>

#include "engine/cpu/packed.hpp"

namespace dsk::engine {

/// Rows and columns of a tile at most: who keeps a row of one needs no more room.
inline constexpr Index kLargestTile = 64;

/// Rows and columns of the square tiles that the pairs of `count` matrices are cut into: sixteen tiles along a side
/// where there are enough matrices, so that all threads find work, but none that leaves the cache or, with so many
/// floating-point operations for each pair, takes longer than some tenths of a second: between tiles a computation can
/// be interrupted. Depends on nothing else: the order of summation must not change with the number of threads.
template <class T>
Index tile_size(Index count, double operations_per_pair) {
  constexpr double operations_of_a_tile = 8e9;
  const auto affordable = static_cast<Index>(std::sqrt(operations_of_a_tile / operations_per_pair));
  const Index largest = std::clamp<Index>(affordable / group_size<T> * group_size<T>, group_size<T>, kLargestTile);
  const Index sixteenth = (count / 16 + group_size<T> - 1) / group_size<T> * group_size<T>;
  return std::clamp<Index>(sixteenth, group_size<T>, largest);
}

}  // namespace dsk::engine
