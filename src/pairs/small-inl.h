// Determinants of a vector of pair means of dimension 1 to 8, all in registers, with one division per three columns.

#if defined(DSK_PAIRS_SMALL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_SMALL_INL_H_
#undef DSK_PAIRS_SMALL_INL_H_
#else
#define DSK_PAIRS_SMALL_INL_H_
#endif

#include "pairs/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int Packed(int r, int c) { return r * (r + 1) / 2 + c; }

/// Columns eliminated before the rest is divided by the pivots: few, since the scale of what is left is their product.
constexpr int ChunkColumns(int left) { return left == 4 ? 4 : left < 3 ? left : 3; }

/// Eliminates columns without dividing: column k turns the rest A into q A - a a', q its pivot. What is left after m
/// columns is the Schur complement times q_1 ... q_m, which one division takes off again. The divider, far slower than
/// the multipliers, is so asked once per chunk of columns instead of once per column.
template <class T, int kDim>
class SmallDeterminant {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  /// Below this, products of pivots may lose digits and the caller must take the general way.
  static constexpr T kTiny = sizeof(T) == 8 ? T(1e-240) : T(1e-20);

  template <class Means>
  HWY_INLINE explicit SmallDeterminant(const Means& means) {
    const D d;
#pragma GCC unroll 36
    for (int e = 0; e < Packed(kDim, 0); ++e) a_[e] = means(e);
    value_ = hn::Set(d, T{1});
    smallest_ = a_[0];
    if constexpr (kDim >= 3) Eliminate<0>();
    Finish();
  }

  HWY_INLINE V Value() const { return value_; }
  HWY_INLINE hn::Mask<D> Reliable() const { return hn::Gt(smallest_, hn::Set(D(), kTiny)); }

 private:
  template <int kColumn>
  HWY_INLINE void Eliminate() {
    constexpr int kChunk = ChunkColumns(kDim - 2 - kColumn);
    constexpr int kEnd = kColumn + kChunk;
#pragma GCC unroll 8
    for (int k = kColumn; k < kEnd; ++k)
#pragma GCC unroll 8
      for (int c = k + 1; c < kDim; ++c)
#pragma GCC unroll 8
        for (int r = c; r < kDim; ++r)
          a_[Packed(r, c)] = hn::MulSub(a_[Packed(k, k)], a_[Packed(r, c)],
                                        hn::Mul(a_[Packed(r, k)], a_[Packed(c, k)]));
    const D d;
    V q[4];
#pragma GCC unroll 4
    for (int m = 0; m < kChunk; ++m) q[m] = a_[Packed(kColumn + m, kColumn + m)];
    // Positive first pivots and a positive product mean a positive last pivot.
    V scale = q[0];
#pragma GCC unroll 4
    for (int m = 1; m < kChunk; ++m) {
      if (m + 1 < kChunk) smallest_ = hn::Min(smallest_, q[m]);
      scale = hn::Mul(scale, q[m]);
    }
    smallest_ = hn::Min(smallest_, scale);
    const V reciprocal = hn::Div(hn::Set(d, T{1}), scale);
    V pivots;  // product of the true pivots, from q_m = q_1 ... q_{m-1} pivot_m
    if constexpr (kChunk == 1) pivots = q[0];
    if constexpr (kChunk == 2) pivots = q[1];
    if constexpr (kChunk == 3) pivots = hn::Mul(hn::Mul(q[2], q[2]), hn::Mul(q[1], reciprocal));
    if constexpr (kChunk == 4) {
      const V q34 = hn::Mul(hn::Mul(q[2], q[3]), reciprocal);
      pivots = hn::Mul(hn::Mul(q[3], q34), hn::Mul(q[1], q34));
    }
    value_ = kColumn == 0 ? pivots : hn::Mul(value_, pivots);
#pragma GCC unroll 8
    for (int c = kEnd; c < kDim; ++c) smallest_ = hn::Min(smallest_, a_[Packed(c, c)]);
#pragma GCC unroll 8
    for (int r = kEnd; r < kDim; ++r)
#pragma GCC unroll 8
      for (int c = kEnd; c <= r; ++c) a_[Packed(r, c)] = hn::Mul(a_[Packed(r, c)], reciprocal);
    if constexpr (kEnd < kDim - 2) Eliminate<kEnd>();
  }

  HWY_INLINE void Finish() {
    V last = a_[Packed(kDim - 1, kDim - 1)];
    if constexpr (kDim >= 2) {
      const V off = a_[Packed(kDim - 1, kDim - 2)];
      last = hn::MulSub(a_[Packed(kDim - 2, kDim - 2)], last, hn::Mul(off, off));
    }
    value_ = kDim <= 2 ? last : hn::Mul(value_, last);
    smallest_ = hn::Min(smallest_, hn::Min(last, value_));
  }

  V a_[Packed(kDim, 0)];
  V value_;
  V smallest_;
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
