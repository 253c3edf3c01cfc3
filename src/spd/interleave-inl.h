// Copies matrices into and out of vector lanes: element e of the matrix in lane l is stored at e * lanes + l.
// Compiled once per SIMD target, hence the toggling include guard.

#if defined(DSK_SPD_INTERLEAVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_SPD_INTERLEAVE_INL_H_
#undef DSK_SPD_INTERLEAVE_INL_H_
#else
#define DSK_SPD_INTERLEAVE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "spd/spd.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, eigen_group>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;

/// Rows of a register tile, chosen for the number of registers.
inline constexpr int kTileRows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

HWY_INLINE Index LaneCount() {
  return static_cast<Index>(hn::Lanes(Tag()));
}

HWY_INLINE V Get(const double* HWY_RESTRICT from, Index element) {
  return hn::Load(Tag(), from + element * LaneCount());
}

HWY_INLINE void Put(V value, double* HWY_RESTRICT to, Index element) {
  hn::Store(value, Tag(), to + element * LaneCount());
}

/// Interleaves `rows` rows of `size` doubles of each of `count` arrays; unused lanes repeat the last array. Works row
/// by row, so that cache lines are complete before they are evicted.
inline void Interleave(const double* from, Index rows, Index size, Index count, double* HWY_RESTRICT to) {
  const Index lanes = LaneCount();
  for (Index r = 0; r < rows; ++r, to += size * lanes)
    for (Index lane = 0; lane < lanes; ++lane) {
      const double* HWY_RESTRICT source = from + (std::min(lane, count - 1) * rows + r) * size;
      for (Index e = 0; e < size; ++e) to[e * lanes + lane] = source[e];
    }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
