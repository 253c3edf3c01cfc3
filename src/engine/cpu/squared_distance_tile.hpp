#pragma once

#include "engine/cpu/packed.hpp"

namespace dsk::engine {

/// Squared distances of rows row .. row + rows - 1 of x to the members of `groups` groups of y from `group` on.
template <class T>
struct SquaredDistanceTile {
  const InterleavedRows<T>* x = nullptr;
  const InterleavedRows<T>* y = nullptr;
  Index row = 0;
  Index rows = 0;
  Index group = 0;
  Index groups = 0;
};

template <class T>
void squared_distance_tile(const SquaredDistanceTile<T>& tile, T* out, Index stride);

}  // namespace dsk::engine
