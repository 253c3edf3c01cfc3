#include "engine/cpu/inverse_sum_tile.hpp"

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/inverse_sum_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/inverse_sum_tile-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(SumInversesF64);

Index inverse_sum_scratch(Index dim) {
  return triangle(dim) * group_size<double> + factor_scratch<double>(dim);
}

InverseSumParts inverse_sum_tile(const InverseSumTile& tile, double* scratch, double* out) {
  return HWY_DYNAMIC_DISPATCH(SumInversesF64)(tile, scratch, out);
}

}  // namespace dsk::engine
#endif
