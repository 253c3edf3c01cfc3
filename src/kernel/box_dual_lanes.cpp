// Steps of sequential minimal optimisation: the choice of a pair and the update of all slopes are passes over vectors.

#include <limits>

#include "kernel/duals.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/box_dual_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using BoxTag = hn::CappedTag<double, 8>;
using BoxVector = hn::Vec<BoxTag>;

constexpr double box_infinity = std::numeric_limits<double>::infinity();

/// The largest value seen in each lane, and where it was seen first.
struct Largest {
  BoxVector value;
  BoxVector place;

  HWY_INLINE void Take(BoxVector candidate, BoxVector at) {
    const auto better = hn::Gt(candidate, value);
    value = hn::IfThenElse(better, candidate, value);
    place = hn::IfThenElse(better, at, place);
  }

  /// The first of the largest over all lanes; `found` becomes its value.
  HWY_INLINE Index First(double& found) const {
    const BoxTag d;
    const BoxVector largest = hn::MaxOfLanes(d, value);
    found = hn::GetLane(largest);
    const BoxVector places = hn::IfThenElse(hn::Eq(value, largest), place, hn::Set(d, box_infinity));
    return static_cast<Index>(hn::GetLane(hn::MinOfLanes(d, places)));
  }
};

BoxProgress BoxSteps(const BoxArrays& arrays, double tolerance, Index max_steps) {
  const BoxTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const BoxVector infinity = hn::Set(d, box_infinity), lane = hn::Iota(d, 0);
  const double* HWY_RESTRICT lower = arrays.lower;
  const double* HWY_RESTRICT upper = arrays.upper;
  const double* HWY_RESTRICT diagonal = arrays.diagonal;
  double* HWY_RESTRICT b = arrays.b;
  double* HWY_RESTRICT ascent = arrays.ascent;
  constexpr double smallest_curvature = 1e-12;

  const double* HWY_RESTRICT grown = arrays.rows;  // the rows of the last pair
  const double* HWY_RESTRICT shrunk = arrays.rows;
  double step = 0;
  BoxProgress progress;
  while (true) {
    Largest growing{hn::Neg(infinity), lane};
    BoxVector lowest = infinity;
    const BoxVector times = hn::Set(d, step);
    for (Index k = 0; k < arrays.padded; k += lanes) {
      const BoxVector slope =
          hn::NegMulAdd(times, hn::Sub(hn::Load(d, grown + k), hn::Load(d, shrunk + k)), hn::Load(d, ascent + k));
      hn::Store(slope, d, ascent + k);
      const BoxVector at = hn::Load(d, b + k);
      const auto can_grow = hn::Lt(at, hn::Load(d, upper + k)), can_shrink = hn::Gt(at, hn::Load(d, lower + k));
      growing.Take(hn::IfThenElse(can_grow, slope, hn::Neg(infinity)),
                   hn::Add(lane, hn::Set(d, static_cast<double>(k))));
      lowest = hn::Min(lowest, hn::IfThenElse(can_shrink, slope, infinity));
    }
    const Index i = growing.First(progress.highest);
    progress.lowest = hn::GetLane(hn::MinOfLanes(d, lowest));
    if (!(progress.highest - progress.lowest > tolerance) || progress.steps == max_steps) return progress;

    grown = arrays.rows + i * arrays.padded;
    const BoxVector highest = hn::Set(d, progress.highest), own = hn::Set(d, diagonal[i]), two = hn::Set(d, 2.0);
    Largest gain{hn::Neg(infinity), lane};
    for (Index k = 0; k < arrays.padded; k += lanes) {
      const BoxVector difference = hn::Sub(highest, hn::Load(d, ascent + k));
      const BoxVector curvature =
          hn::Max(hn::NegMulAdd(two, hn::Load(d, grown + k), hn::Add(own, hn::Load(d, diagonal + k))),
                  hn::Set(d, smallest_curvature));
      const auto useful = hn::And(hn::Gt(hn::Load(d, b + k), hn::Load(d, lower + k)), hn::Gt(difference, hn::Zero(d)));
      gain.Take(hn::IfThenElse(useful, hn::Div(hn::Mul(difference, difference), curvature), hn::Neg(infinity)),
                hn::Add(lane, hn::Set(d, static_cast<double>(k))));
    }
    double best = 0;
    const Index j = gain.First(best);
    shrunk = arrays.rows + j * arrays.padded;
    const double curvature = diagonal[i] + diagonal[j] - 2 * grown[j];
    step = (progress.highest - ascent[j]) / (curvature > smallest_curvature ? curvature : smallest_curvature);
    const double room_above = upper[i] - b[i], room_below = b[j] - lower[j];
    if (step < room_above && step < room_below) {
      b[i] += step;
      b[j] -= step;
    } else if (room_above <= room_below) {
      step = room_above;
      b[i] = upper[i];
      b[j] = step == room_below ? lower[j] : b[j] - step;
    } else {
      step = room_below;
      b[i] += step;
      b[j] = lower[j];
    }
    ++progress.steps;
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(BoxSteps);

BoxProgress box_steps(const BoxArrays& arrays, double tolerance, Index max_steps) {
  return HWY_DYNAMIC_DISPATCH(BoxSteps)(arrays, tolerance, max_steps);
}

}  // namespace dsk::detail
#endif
