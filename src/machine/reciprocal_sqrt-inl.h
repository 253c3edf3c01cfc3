// Compiled once per SIMD target, hence the toggling include guard.

#if defined(DSK_SPD_RECIPROCAL_SQRT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_SPD_RECIPROCAL_SQRT_INL_H_
#undef DSK_SPD_RECIPROCAL_SQRT_INL_H_
#else
#define DSK_SPD_RECIPROCAL_SQRT_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 1/sqrt(x) for normal x > 0, with an error of about one ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReciprocalSqrt(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
#if HWY_TARGET <= HWY_AVX3
  // Newton steps from a 14-bit estimate are faster than a square root and a division.
  V y;
  if constexpr (sizeof(T) == 8) {
    y = V{_mm512_rsqrt14_pd(x.raw)};
  } else {
    y = V{_mm512_rsqrt14_ps(x.raw)};
  }
  const V half = hn::Set(d, T{0.5});
  for (int step = 0; step < (sizeof(T) == 8 ? 2 : 1); ++step) {
    const V residual = hn::NegMulAdd(hn::Mul(x, y), y, one);
    y = hn::MulAdd(hn::Mul(half, y), residual, y);
  }
  return y;
#else
  return hn::Div(one, hn::Sqrt(x));
#endif
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
