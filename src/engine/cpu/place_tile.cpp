#include "engine/cpu/place_tile.hpp"

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/place_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/place_tile-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(PlaceTile);

void place_tile(const double* values, Index stride, Index rows, Index columns, double* matrix, Index width, Index row,
                Index column, bool mirror) {
  HWY_DYNAMIC_DISPATCH(PlaceTile)(values, stride, rows, columns, matrix, width, row, column, mirror);
}

}  // namespace dsk::engine
#endif
