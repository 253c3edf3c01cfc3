// What is summed over runs of neighbouring pairs: the forms of kernel values, and their sums by row and column.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/strip_tile.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <cstdint>

#include "engine/cpu/strips.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using StripTag = hn::CappedTag<double, 8>;
using StripVector = hn::Vec<StripTag>;

/// Without fused operations: a value does not depend on its place.
inline void FillForm(const FormOfStrip& form, const int* HWY_RESTRICT classes, const double* HWY_RESTRICT kernel,
                     Index width, double* HWY_RESTRICT out) {
  const StripTag d;
  const hn::Rebind<std::int64_t, StripTag> whole;
  const hn::Rebind<std::int32_t, StripTag> half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto own = hn::Set(whole, form.own);
  const StripVector same = hn::Set(d, form.same), other = hn::Set(d, form.other), square = hn::Set(d, form.square);
  Index l = 0;
  for (; l + lanes <= width; l += lanes) {
    const auto is_same = hn::RebindMask(d, hn::Eq(hn::PromoteTo(whole, hn::LoadU(half, classes + l)), own));
    const StripVector value = hn::LoadU(d, kernel + l), factor = hn::IfThenElse(is_same, same, other);
    hn::StoreU(hn::Add(hn::Mul(factor, value), hn::Mul(hn::Mul(square, value), value)), d, out + l);
  }
  for (; l < width; ++l)
    out[l] = (classes[l] == form.own ? form.same : form.other) * kernel[l] + form.square * kernel[l] * kernel[l];
}

inline double AddStrip(const double* HWY_RESTRICT values, const double* HWY_RESTRICT factors, Index width,
                       double* HWY_RESTRICT sums) {
  const StripTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  StripVector all = hn::Zero(d);
  Index l = 0;
  for (; l + lanes <= width; l += lanes) {
    StripVector value = hn::LoadU(d, values + l);
    if (factors != nullptr) value = hn::Mul(value, hn::LoadU(d, factors + l));
    all = hn::Add(all, value);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + l), value), d, sums + l);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, all));
  for (; l < width; ++l) {
    const double value = factors != nullptr ? values[l] * factors[l] : values[l];
    sum += value;
    sums[l] += value;
  }
  return sum;
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillForm);
HWY_EXPORT(AddStrip);

void fill_form(const FormOfStrip& form, const int* classes, const double* kernel, Index width, double* out) {
  HWY_DYNAMIC_DISPATCH(FillForm)(form, classes, kernel, width, out);
}

double add_strip(const double* values, const double* factors, Index width, double* sums) {
  return HWY_DYNAMIC_DISPATCH(AddStrip)(values, factors, width, sums);
}

}  // namespace dsk::engine
#endif
