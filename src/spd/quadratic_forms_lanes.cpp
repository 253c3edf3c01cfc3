#include "machine/simd_targets.hpp"
#include "spd/spd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/quadratic_forms_lanes.cpp"
#include <hwy/foreach_target.h>

#include "spd/quadratic_forms_lanes-inl.h"

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(QuadraticForms);

Index quadratic_forms_scratch(Index dim) {
  constexpr Index widest = 16;
  return (dim + 1) * widest;
}

void quadratic_forms(const double* a, const double* columns, Index dim, double* scratch, double* forms) {
  HWY_DYNAMIC_DISPATCH(QuadraticForms)(a, columns, dim, scratch, forms);
}

}  // namespace dsk::detail
#endif
