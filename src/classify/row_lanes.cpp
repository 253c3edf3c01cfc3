// Products of rows in single precision with vectors in double precision.

#include "classify/dual_descent.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/row_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

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
