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

#include "engine/cpu/packed.hpp"
#include "machine/reciprocal_sqrt-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detail::HWY_NAMESPACE::ReciprocalSqrt;

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

/// Takes up the diagonal of a Cholesky factor entry by entry and ends with log det at the price of one logarithm:
/// exponents are summed as integers, so that nothing under- or overflows.
template <class D>
class LogDeterminant {
 public:
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;

  HWY_INLINE explicit LogDeterminant(D d)
      : mantissa_(hn::Set(d, T{1})), exponent_(hn::Zero(hn::RebindToSigned<D>())), smallest_(mantissa_) {}

  /// Takes up 1 / L_kk; `pivot` is what its positivity hangs on.
  HWY_INLINE void Take(D d, V reciprocal, V pivot) {
    smallest_ = hn::Min(pivot, smallest_);
    mantissa_ = hn::Mul(mantissa_, TakeExponent(d, reciprocal));
  }

  /// Must follow every few dozen entries, since mantissas multiply up.
  HWY_INLINE void Renormalise(D d) { mantissa_ = TakeExponent(d, mantissa_); }

  HWY_INLINE V SmallestPivot() const { return smallest_; }

  HWY_INLINE V Value(D d) {
    Renormalise(d);
    const V log = hn::MulAdd(hn::ConvertTo(d, exponent_), hn::Set(d, static_cast<T>(0.69314718055994530942)),
                             hn::Log(d, mantissa_));
    return hn::Mul(hn::Set(d, T{-2}), log);
  }

 private:
  HWY_INLINE V TakeExponent(D d, V x) {
    constexpr int kMantissaBits = sizeof(T) == 8 ? 52 : 23;
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
  V smallest_;
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
