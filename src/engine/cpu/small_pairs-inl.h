// Determinants and inverses of pair means of dimension 1 to 8, all in registers; determinants with one division per
// three columns.

#if defined(DSK_PAIRS_SMALL_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_SMALL_PAIRS_INL_H_
#undef DSK_PAIRS_SMALL_PAIRS_INL_H_
#else
#define DSK_PAIRS_SMALL_PAIRS_INL_H_
#endif

#include <utility>

#include "engine/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int Packed(int r, int c) {
  return r * (r + 1) / 2 + c;
}

/// Columns eliminated before the rest is divided by the pivots: few, since the scale of what is left is their product.
constexpr int ChunkColumns(int left) {
  return left == 4 ? 4 : left < 3 ? left : 3;
}

/// Eliminates columns without dividing: column k turns the rest A into q A - a a', q its pivot. What is left after m
/// columns is the Schur complement times q_1 ... q_m, which one division takes off again. The divider, far slower than
/// the multipliers, is so asked once per chunk of columns instead of once per column.
/// `kCount` independent vectors go in step, to fill the time one waits for its own results.
template <class T, int kDim, int kCount>
class SmallDeterminant {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  /// Below this, products of pivots may lose digits and the caller must take the general way.
  static constexpr T kTiny = sizeof(T) == 8 ? T(1e-240) : T(1e-20);

  template <class Means>
  HWY_INLINE explicit SmallDeterminant(const Means (&means)[kCount]) {
    Fetch(means, std::make_integer_sequence<int, Packed(kDim, 0)>());
    if constexpr (kDim >= 3) Eliminate<0>();
    Finish();
  }

  /// The determinant where it is positive and reliable, else 0.
  HWY_INLINE V Value(int u) const { return hn::IfThenElseZero(hn::Gt(smallest_[u], hn::Set(D(), kTiny)), value_[u]); }

 private:
  template <class Means, int... kElements>
  HWY_INLINE void Fetch(const Means (&means)[kCount], std::integer_sequence<int, kElements...>) {
#pragma GCC unroll 4
    for (int u = 0; u < kCount; ++u) {
      ((a_[kElements][u] = means[u](kElements)), ...);
      smallest_[u] = a_[0][u];
    }
  }

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
#pragma GCC unroll 4
          for (int u = 0; u < kCount; ++u)
            a_[Packed(r, c)][u] =
                hn::MulSub(a_[Packed(k, k)][u], a_[Packed(r, c)][u], hn::Mul(a_[Packed(r, k)][u], a_[Packed(c, k)][u]));
    V reciprocal[kCount];
#pragma GCC unroll 4
    for (int u = 0; u < kCount; ++u) {
      V q[kChunk];
#pragma GCC unroll 4
      for (int m = 0; m < kChunk; ++m) q[m] = a_[Packed(kColumn + m, kColumn + m)][u];
      // Positive first pivots and a positive product mean a positive last pivot.
      V scale = q[0];
#pragma GCC unroll 4
      for (int m = 1; m < kChunk; ++m) {
        if (m + 1 < kChunk) smallest_[u] = hn::Min(smallest_[u], q[m]);
        scale = hn::Mul(scale, q[m]);
      }
      smallest_[u] = hn::Min(smallest_[u], scale);
      reciprocal[u] = hn::Div(hn::Set(D(), T{1}), scale);
      const V pivots = PivotProduct(q, reciprocal[u]);
      value_[u] = kColumn == 0 ? pivots : hn::Mul(value_[u], pivots);
    }
#pragma GCC unroll 8
    for (int r = kEnd; r < kDim; ++r)
#pragma GCC unroll 4
      for (int u = 0; u < kCount; ++u) smallest_[u] = hn::Min(smallest_[u], a_[Packed(r, r)][u]);
#pragma GCC unroll 8
    for (int r = kEnd; r < kDim; ++r)
#pragma GCC unroll 8
      for (int c = kEnd; c <= r; ++c)
#pragma GCC unroll 4
        for (int u = 0; u < kCount; ++u) a_[Packed(r, c)][u] = hn::Mul(a_[Packed(r, c)][u], reciprocal[u]);
    if constexpr (kEnd < kDim - 2) Eliminate<kEnd>();
  }

  /// The product of the true pivots p, from q_m = q_1 ... q_{m-1} p_m and reciprocal = 1 / (q_1 ... q_m).
  template <int kChunk>
  HWY_INLINE static V PivotProduct(const V (&q)[kChunk], V reciprocal) {
    if constexpr (kChunk <= 2) {
      return q[kChunk - 1];
    } else if constexpr (kChunk == 3) {
      return hn::Mul(hn::Mul(q[2], q[2]), hn::Mul(q[1], reciprocal));
    } else {
      const V q34 = hn::Mul(hn::Mul(q[2], q[3]), reciprocal);
      return hn::Mul(hn::Mul(q[3], q34), hn::Mul(q[1], q34));
    }
  }

  HWY_INLINE void Finish() {
#pragma GCC unroll 4
    for (int u = 0; u < kCount; ++u) {
      V last = a_[Packed(kDim - 1, kDim - 1)][u];
      if constexpr (kDim >= 2) {
        const V off = a_[Packed(kDim - 1, kDim - 2)][u];
        last = hn::MulSub(a_[Packed(kDim - 2, kDim - 2)][u], last, hn::Mul(off, off));
      }
      value_[u] = kDim <= 2 ? last : hn::Mul(value_[u], last);
      smallest_[u] = hn::Min(smallest_[u], hn::Min(last, value_[u]));
    }
  }

  V a_[Packed(kDim, 0)][kCount];
  V value_[kCount];
  V smallest_[kCount];
};

/// M = L D L' with ones on the diagonal of L, its inverse N, and M^-1 = N' D^-1 N element by element: one division per
/// column, and no square roots.
template <class T, int kDim>
class SmallInverse {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  template <class Means>
  HWY_INLINE explicit SmallInverse(const Means& means) {
    const D d;
    Fetch(means, std::make_integer_sequence<int, Packed(kDim, 0)>());
    determinant_ = smallest_ = a_[0];
#pragma GCC unroll 8
    for (int k = 0; k < kDim; ++k) {
      const V pivot = a_[Packed(k, k)];
      if (k > 0) {
        determinant_ = hn::Mul(determinant_, pivot);
        smallest_ = hn::Min(pivot, smallest_);
      }
      const V reciprocal = hn::Div(hn::Set(d, T{1}), pivot);
      a_[Packed(k, k)] = reciprocal;
      V negative[kDim];
#pragma GCC unroll 8
      for (int r = k + 1; r < kDim; ++r) negative[r] = hn::Neg(hn::Mul(a_[Packed(r, k)], reciprocal));
#pragma GCC unroll 8
      for (int c = k + 1; c < kDim; ++c)
#pragma GCC unroll 8
        for (int r = c; r < kDim; ++r) a_[Packed(r, c)] = hn::MulAdd(negative[r], a_[Packed(c, k)], a_[Packed(r, c)]);
#pragma GCC unroll 8
      for (int r = k + 1; r < kDim; ++r) a_[Packed(r, k)] = negative[r];
    }
    InvertFactor();
  }

  HWY_INLINE V SmallestPivot() const {
    return smallest_;
  }

  /// Garbage unless the smallest pivot is positive.
  HWY_INLINE V LogDet() const {
    const D d;
    // Below this, the product of the pivots may have lost digits on the way.
    const V floor = hn::Set(d, sizeof(T) == 8 ? static_cast<T>(0x1p-900) : static_cast<T>(0x1p-100));
    if (HWY_LIKELY(hn::AllTrue(d, hn::Gt(determinant_, floor)))) return hn::Log(d, determinant_);
    V sum = hn::Zero(d);
#pragma GCC unroll 8
    for (int k = 0; k < kDim; ++k) sum = hn::Sub(sum, hn::Log(d, a_[Packed(k, k)]));
    return sum;
  }

  template <class Take>
  HWY_INLINE void ForEachElement(const Take& take) const {
#pragma GCC unroll 8
    for (int r = 0; r < kDim; ++r) {
      V scaled[kDim];
#pragma GCC unroll 8
      for (int k = r + 1; k < kDim; ++k) scaled[k] = hn::Mul(a_[Packed(k, r)], a_[Packed(k, k)]);
#pragma GCC unroll 8
      for (int c = 0; c <= r; ++c) {
        V sum = c == r ? a_[Packed(r, r)] : hn::Mul(a_[Packed(r, r)], a_[Packed(r, c)]);
#pragma GCC unroll 8
        for (int k = r + 1; k < kDim; ++k) sum = hn::MulAdd(scaled[k], a_[Packed(k, c)], sum);
        take(Packed(r, c), sum);
      }
    }
  }

 private:
  template <class Means, int... kElements>
  HWY_INLINE void Fetch(const Means& means, std::integer_sequence<int, kElements...>) {
    ((a_[kElements] = means(kElements)), ...);
  }

  /// From -L below the diagonal, row by row and from left to right: N_rc needs the entries of L right of it only.
  HWY_INLINE void InvertFactor() {
#pragma GCC unroll 8
    for (int r = 2; r < kDim; ++r)
#pragma GCC unroll 8
      for (int c = 0; c + 1 < r; ++c) {
        V sum = a_[Packed(r, c)];
#pragma GCC unroll 8
        for (int k = c + 1; k < r; ++k) sum = hn::MulAdd(a_[Packed(r, k)], a_[Packed(k, c)], sum);
        a_[Packed(r, c)] = sum;
      }
  }

  V a_[Packed(kDim, 0)];  ///< N below the diagonal, D^-1 on it
  V determinant_;
  V smallest_;
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
