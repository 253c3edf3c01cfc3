#include "classify/row_lanes.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/row_lanes.cpp"
#include <hwy/foreach_target.h>

#include "classify/row_lanes-inl.h"

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(DotRow);
HWY_EXPORT(AddRow);

double dot_row(const float* x, const double* w, Index padded) {
  return HWY_DYNAMIC_DISPATCH(DotRow)(x, w, padded);
}

void add_row(double factor, const float* x, double* w, Index padded) {
  HWY_DYNAMIC_DISPATCH(AddRow)(factor, x, w, padded);
}

}  // namespace dsk::detail
#endif
