// Inverses of pair means of dimension 1 to 8, all in registers.

#if defined(DSK_PAIRS_SMALL_INVERSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_SMALL_INVERSE_INL_H_
#undef DSK_PAIRS_SMALL_INVERSE_INL_H_
#else
#define DSK_PAIRS_SMALL_INVERSE_INL_H_
#endif

#include "engine/cpu/small-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Cholesky factor, its inverse N, and M^-1 = N'N element by element.
template <class T, int kDim>
class SmallInverse {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  template <class Means>
  HWY_INLINE SmallInverse(const Means& means, LogDeterminant<D>& determinant) {
    Fetch(means, std::make_integer_sequence<int, Packed(kDim, 0)>());
    const D d;
#pragma GCC unroll 8
    for (int k = 0; k < kDim; ++k) {
      const V pivot = a_[Packed(k, k)];
      const V reciprocal = ReciprocalSqrt(d, pivot);
      determinant.Take(d, reciprocal, pivot);
      a_[Packed(k, k)] = reciprocal;
#pragma GCC unroll 8
      for (int r = k + 1; r < kDim; ++r) a_[Packed(r, k)] = hn::Mul(a_[Packed(r, k)], reciprocal);
#pragma GCC unroll 8
      for (int c = k + 1; c < kDim; ++c)
#pragma GCC unroll 8
        for (int r = c; r < kDim; ++r)
          a_[Packed(r, c)] = hn::NegMulAdd(a_[Packed(r, k)], a_[Packed(c, k)], a_[Packed(r, c)]);
    }
    InvertFactor();
  }

  template <class Take>
  HWY_INLINE void ForEachElement(const Take& take) const {
#pragma GCC unroll 8
    for (int r = 0; r < kDim; ++r)
#pragma GCC unroll 8
      for (int c = 0; c <= r; ++c) {
        V sum = hn::Mul(a_[Packed(r, r)], a_[Packed(r, c)]);
#pragma GCC unroll 8
        for (int k = r + 1; k < kDim; ++k) sum = hn::MulAdd(a_[Packed(k, r)], a_[Packed(k, c)], sum);
        take(Packed(r, c), sum);
      }
  }

 private:
  template <class Means, int... kElements>
  HWY_INLINE void Fetch(const Means& means, std::integer_sequence<int, kElements...>) {
    ((a_[kElements] = means(kElements)), ...);
  }

  /// Row by row and from left to right: N_rc needs the entries of L right of it only.
  HWY_INLINE void InvertFactor() {
#pragma GCC unroll 8
    for (int r = 1; r < kDim; ++r)
#pragma GCC unroll 8
      for (int c = 0; c < r; ++c) {
        V sum = hn::Mul(a_[Packed(r, c)], a_[Packed(c, c)]);
#pragma GCC unroll 8
        for (int k = c + 1; k < r; ++k) sum = hn::MulAdd(a_[Packed(r, k)], a_[Packed(k, c)], sum);
        a_[Packed(r, c)] = hn::Neg(hn::Mul(sum, a_[Packed(r, r)]));
      }
  }

  V a_[Packed(kDim, 0)];
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
