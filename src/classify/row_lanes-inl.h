// Products of rows in single precision with vectors in double precision.

#if defined(DSK_CLASSIFY_ROW_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_CLASSIFY_ROW_LANES_INL_H_
#undef DSK_CLASSIFY_ROW_LANES_INL_H_
#else
#define DSK_CLASSIFY_ROW_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include "classify/row_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using RowTag = hn::CappedTag<double, 8>;
using HalfTag = hn::Rebind<float, RowTag>;
using RowVector = hn::Vec<RowTag>;

inline double DotRow(const float* HWY_RESTRICT x, const double* HWY_RESTRICT w, Index padded) {
  const RowTag d;
  const HalfTag half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  RowVector even = hn::Zero(d), odd = hn::Zero(d);
  for (Index i = 0; i < padded; i += 2 * lanes) {
    even = hn::MulAdd(hn::PromoteTo(d, hn::Load(half, x + i)), hn::Load(d, w + i), even);
    odd = hn::MulAdd(hn::PromoteTo(d, hn::Load(half, x + i + lanes)), hn::Load(d, w + i + lanes), odd);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

inline void AddRow(double factor, const float* HWY_RESTRICT x, double* HWY_RESTRICT w, Index padded) {
  const RowTag d;
  const HalfTag half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const RowVector times = hn::Set(d, factor);
  for (Index i = 0; i < padded; i += lanes)
    hn::Store(hn::MulAdd(times, hn::PromoteTo(d, hn::Load(half, x + i)), hn::Load(d, w + i)), d, w + i);
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
