#include "pairs/airm_group.hpp"

#include "pairs/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pairs/airm_group.cpp"
#include <hwy/foreach_target.h>

#include "pairs/airm-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillAirmGroup);

Index airm_scratch(Index dim) {
  return (dim + airm_vectors) * dim * group_size<double>;
}

void airm_group(const AirmGroup& group, double* scratch, double* out) {
  HWY_DYNAMIC_DISPATCH(FillAirmGroup)(group, scratch, out);
}

}  // namespace dsk::engine
#endif
