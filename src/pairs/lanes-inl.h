// Vector helpers shared by the kernels: lane l of every vector belongs to pair l.
// Compiled once per SIMD target, hence the toggling include guard.

#if defined(DSK_PAIRS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_LANES_INL_H_
#undef DSK_PAIRS_LANES_INL_H_
#else
#define DSK_PAIRS_LANES_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

#include "pairs/packed.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// At most one group of pairs per vector.
template <class T>
using Lanes = hn::CappedTag<T, group_size<T>>;

/// The mean of matrix `row` with each matrix of (a part of) a group.
template <class T>
struct RowWithGroup {
  const T* HWY_RESTRICT row;
  const T* HWY_RESTRICT group;
  HWY_INLINE hn::Vec<Lanes<T>> operator()(Index e) const {
    const Lanes<T> d;
    return hn::Add(hn::Set(d, row[e]), hn::Load(d, group + e * group_size<T>));
  }
};

/// The mean of each matrix of (a part of) a group with itself: rounds exactly as the pair of two equal matrices does.
template <class T>
struct GroupWithItself {
  const T* HWY_RESTRICT group;
  HWY_INLINE hn::Vec<Lanes<T>> operator()(Index e) const {
    const Lanes<T> d;
    const auto half = hn::Load(d, group + e * group_size<T>);
    return hn::Add(half, half);
  }
};

/// Means that were put side by side beforehand: element e of all lanes at means + e * Lanes.
template <class T>
struct SideBySide {
  const T* HWY_RESTRICT means;
  HWY_INLINE hn::Vec<Lanes<T>> operator()(Index e) const {
    const Lanes<T> d;
    return hn::Load(d, means + e * static_cast<Index>(hn::Lanes(d)));
  }
};

/// 1/sqrt(x) for normal x > 0, to about an ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReciprocalSqrt(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
#if HWY_TARGET <= HWY_AVX3
  // Newton steps from the 14-bit estimate keep the slow square root and divider units out of the critical path.
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

/// The logarithm of a long product of positive numbers at the price of one logarithm: exponents are summed as integers,
/// so that nothing under- or overflows.
template <class D>
class LogProduct {
 public:
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;
  static constexpr int kMantissaBits = sizeof(T) == 8 ? 52 : 23;

  HWY_INLINE explicit LogProduct(D d)
      : mantissa_(hn::Set(d, T{1})), exponent_(hn::Zero(hn::RebindToSigned<D>())), positive_(hn::Eq(mantissa_, mantissa_)) {}

  HWY_INLINE void Multiply(D d, V factor) {
    positive_ = hn::And(positive_, hn::Gt(factor, hn::Set(d, std::numeric_limits<T>::min())));
    mantissa_ = hn::Mul(mantissa_, TakeExponent(d, factor));
  }

  /// Must follow every few dozen factors, since mantissas multiply up.
  HWY_INLINE void Renormalise(D d) { mantissa_ = TakeExponent(d, mantissa_); }

  /// Lanes whose factors were all positive and normal.
  HWY_INLINE M Positive() const { return positive_; }

  HWY_INLINE V Log(D d) {
    Renormalise(d);
    return hn::MulAdd(hn::ConvertTo(d, exponent_), hn::Set(d, static_cast<T>(0.69314718055994530942)),
                      hn::Log(d, mantissa_));
  }

 private:
  HWY_INLINE V TakeExponent(D d, V x) {
    const hn::RebindToSigned<D> di;
    using TI = hn::TFromD<decltype(di)>;
    const auto bits = hn::BitCast(di, x);
    const auto one = hn::BitCast(di, hn::Set(d, T{1}));
    const auto fraction = hn::Set(di, (TI{1} << kMantissaBits) - 1);
    exponent_ = hn::Add(exponent_, hn::ShiftRight<kMantissaBits>(hn::Sub(bits, one)));
    return hn::BitCast(d, hn::Or(hn::And(bits, fraction), one));
  }

  V mantissa_;
  hn::Vec<hn::RebindToSigned<D>> exponent_;
  M positive_;
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
