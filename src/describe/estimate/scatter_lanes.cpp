#include "describe/estimate/feature_rows.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "describe/estimate/scatter_lanes.cpp"
#include <hwy/foreach_target.h>

#include "describe/estimate/scatter_lanes-inl.h"

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(CentreRow);
HWY_EXPORT(AddScatter);

double centre_row(double* row, Index samples, Index stride) {
  return HWY_DYNAMIC_DISPATCH(CentreRow)(row, samples, stride);
}

void add_scatter(const double* rows, Index dim, Index stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddScatter)(rows, dim, stride, sums);
}

}  // namespace dsk::detail
#endif
