#include "engine/cpu/airm_groups.hpp"

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/airm_groups.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/airm-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillAirmGroups);

Index airm_scratch(Index dim) {
  return (dim + airm_vectors) * dim * group_size<double>;
}

void airm_groups(const AirmGroups& groups, double* scratch, double* out) {
  HWY_DYNAMIC_DISPATCH(FillAirmGroups)(groups, scratch, out);
}

}  // namespace dsk::engine
#endif
