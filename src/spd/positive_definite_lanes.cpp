// The check of small matrices, one per vector lane: symmetry, a Cholesky factor and a bound of the inverse's trace.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/positive_definite_lanes.cpp"
#include <hwy/foreach_target.h>

#include <limits>

#include "spd/scaled_factor-inl.h"
#include "spd/spd.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline void CheckGroup(const double* matrices, Index count, Index dim, double tolerance, double* scratch,
                       GroupCheck* check) {
  const Tag d;
  const Index lanes = LaneCount();
  double* const whole = scratch;
  const ScaledGroup group{dim, whole + dim * dim * lanes, whole + (dim * dim + dim * (dim + 1) / 2) * lanes};
  double *const scales = group.inverse + dim * lanes, *const sums = scales + dim * lanes;
  const V useful = hn::Set(d, 0.5 / (static_cast<double>(dim) * std::numeric_limits<double>::epsilon()));
  for (Index first = 0; first < count; first += lanes) {
    const Index taken = std::min(lanes, count - first);
    InterleaveWhole(matrices + first * dim * dim, taken, dim * dim, whole);
    V asymmetry;
    M valid = ScaleToUnitDiagonal(whole, tolerance, group, scales, asymmetry);
    // Numbers that are not finite end up in a pivot that is not positive, or in a bound that is not below the limit.
    valid = hn::And(valid, Factor(group));
    valid = hn::And(valid, hn::Lt(BoundOfInverseTrace(group, sums), useful));
    HWY_ALIGN double passed[eigen_group], exact[eigen_group];
    hn::Store(hn::IfThenElseZero(valid, hn::Set(d, 1.0)), d, passed);
    hn::Store(hn::IfThenElseZero(hn::Eq(asymmetry, hn::Zero(d)), hn::Set(d, 1.0)), d, exact);
    for (Index lane = 0; lane < taken; ++lane) {
      if (passed[lane] == 1) check->valid |= 1U << (first + lane);
      if (exact[lane] == 1) check->exact |= 1U << (first + lane);
    }
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(CheckGroup);

Index check_scratch(Index dim) {
  return (dim * dim + dim * (dim + 1) / 2 + 3 * dim) * eigen_group;
}

GroupCheck check_group(const double* matrices, Index count, Index dim, double tolerance, double* scratch) {
  GroupCheck check;
  HWY_DYNAMIC_DISPATCH(CheckGroup)(matrices, count, dim, tolerance, scratch, &check);
  return check;
}

}  // namespace dsk::detail
#endif
