#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/nearest_group.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/nearest_group-inl.h"
#include "engine/cpu/stein_tile.hpp"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(SearchGroups);
HWY_EXPORT(PrepareGroup);

void nearest_groups(const NearestRow& row, const NearestGroup (&groups)[2], double* divergences, double* scratch,
                    NearestOutcome (&outcomes)[2]) {
  HWY_DYNAMIC_DISPATCH(SearchGroups)(row, groups, divergences, scratch, outcomes);
}

void prepare_group(const double* group, Index dim, double* leading, double* inverse_traces, double* scratch) {
  HWY_DYNAMIC_DISPATCH(PrepareGroup)(group, dim, leading, inverse_traces, scratch);
}

Index nearest_scratch(Index dim) {
  return 2 * factor_scratch<double>(dim) + 4 * dim * group_size<double>;
}

}  // namespace dsk::engine
#endif
