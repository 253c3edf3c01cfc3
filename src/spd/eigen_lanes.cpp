#include "spd/spd.hpp"

#include <array>

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/eigen_lanes.cpp"
#include <hwy/foreach_target.h>

#include "spd/eigen_lanes-inl.h"

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(DecomposeGroup);
HWY_EXPORT(RecomposeGroup);

Index eigen_scratch(Index dim) {
  // Three matrices and some vectors are enough for both functions.
  return (3 * dim * dim + 16 * dim) * eigen_group;
}

unsigned decompose_group(const double* matrices, Index count, Index dim, double* scratch, double* values,
                         double* vectors) {
  std::array<Index, eigen_group * largest_in_lanes> order;
  return HWY_DYNAMIC_DISPATCH(DecomposeGroup)(matrices, count, dim, scratch, order.data(), values, vectors);
}

void recompose_group(const double* values, const double* vectors, Index count, Index dim, double* scratch,
                     double* matrices) {
  HWY_DYNAMIC_DISPATCH(RecomposeGroup)(values, vectors, count, dim, scratch, matrices);
}

}  // namespace dsk::detail
#endif
