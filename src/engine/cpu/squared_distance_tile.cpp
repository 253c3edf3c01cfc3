#include "engine/cpu/squared_distance_tile.hpp"

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/squared_distance_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/squared_distance-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillDistancesF64);
HWY_EXPORT(FillDistancesF32);

template <>
void squared_distance_tile(const SquaredDistanceTile<double>& tile, double* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillDistancesF64)(tile, out, stride);
}

template <>
void squared_distance_tile(const SquaredDistanceTile<float>& tile, float* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillDistancesF32)(tile, out, stride);
}

}  // namespace dsk::engine
#endif
