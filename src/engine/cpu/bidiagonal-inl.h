// Householder bidiagonalisation and singular values of square matrices, one per lane.
// Compiled once per SIMD target, hence the toggling include guard.

#if defined(DSK_PAIRS_BIDIAGONAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_BIDIAGONAL_INL_H_
#undef DSK_PAIRS_BIDIAGONAL_INL_H_
#else
#define DSK_PAIRS_BIDIAGONAL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {

using F64 = Lanes<double>;
using Doubles = hn::Vec<F64>;
using Mask = hn::Mask<F64>;

/// A vector of lane-vectors.
class LaneArray {
 public:
  explicit LaneArray(double* data) : data_(data) {}
  HWY_INLINE Doubles operator[](Index i) const { return hn::Load(F64(), data_ + i * stride()); }
  HWY_INLINE void set(Index i, Doubles value) const { hn::Store(value, F64(), data_ + i * stride()); }
  HWY_INLINE double* data() const { return data_; }
  HWY_INLINE LaneArray from(Index i) const { return LaneArray(data_ + i * stride()); }

 private:
  static HWY_INLINE Index stride() { return static_cast<Index>(hn::Lanes(F64())); }
  double* HWY_RESTRICT data_;
};

/// Turns x into u with (I - u u') x = (beta, 0, ..., 0)' and returns beta. A vector of zeros gives u = 0.
HWY_INLINE Doubles Reflector(LaneArray x, Index size) {
  const F64 d;
  Doubles square = hn::Zero(d);
  for (Index i = 0; i < size; ++i) square = hn::MulAdd(x[i], x[i], square);
  const Doubles alpha = x[0], length = hn::Sqrt(square);
  const Doubles beta = hn::Neg(hn::CopySign(length, alpha));
  const Doubles half_norm = hn::MulAdd(hn::Abs(alpha), length, square);
  const Doubles scale = hn::IfThenElseZero(hn::Gt(square, hn::Zero(d)), hn::Div(hn::Set(d, 1), hn::Sqrt(half_norm)));
  x.set(0, hn::Mul(hn::Sub(alpha, beta), scale));
  for (Index i = 1; i < size; ++i) x.set(i, hn::Mul(x[i], scale));
  return beta;
}

/// The two reflections of one step: A becomes A - u w' - z v'.
struct RankTwo {
  LaneArray u, w, z, v;
};

/// Applies `last` to `kRows` rows of A from `row` on, and adds next.u' A of these rows to next.w.
template <std::size_t kRows>
HWY_INLINE void UpdateRows(LaneArray a, Index dim, Index row, Index first_column, const RankTwo& last,
                           const RankTwo& next) {
  Doubles u[kRows], z[kRows], next_u[kRows];
  for (Index r = 0; r < Index{kRows}; ++r) u[r] = last.u[row + r], z[r] = last.z[row + r], next_u[r] = next.u[row + r];
  for (Index c = first_column; c < dim; ++c) {
    const Doubles w = last.w[c], v = last.v[c];
    Doubles sum = next.w[c];
    for (Index r = 0; r < Index{kRows}; ++r) {
      const Index e = (row + r) * dim + c;
      const Doubles value = hn::NegMulAdd(z[r], v, hn::NegMulAdd(u[r], w, a[e]));
      a.set(e, value);
      sum = hn::MulAdd(next_u[r], value, sum);
    }
    next.w.set(c, sum);
  }
}

/// next.z = (A - next.u next.w') next.v for `kRows` rows, given next.w' next.v.
template <std::size_t kRows>
HWY_INLINE void MultiplyRows(LaneArray a, Index dim, Index row, Index first_column, const RankTwo& next, Doubles wv) {
  Doubles sum[kRows];
  for (Index r = 0; r < Index{kRows}; ++r) sum[r] = hn::Neg(hn::Mul(next.u[row + r], wv));
  for (Index c = first_column; c < dim; ++c) {
    const Doubles v = next.v[c];
    for (Index r = 0; r < Index{kRows}; ++r) sum[r] = hn::MulAdd(a[(row + r) * dim + c], v, sum[r]);
  }
  for (Index r = 0; r < Index{kRows}; ++r) next.z.set(row + r, sum[r]);
}

/// Reduces the row-major matrix A to upper bidiagonal form with the same singular values. Each step's reflections are
/// applied while the next step's first product is formed, which halves the traffic through A.
/// `vectors` is room for 8 * dim lane-vectors.
HWY_INLINE void Bidiagonalise(LaneArray a, Index dim, LaneArray vectors, LaneArray diagonal, LaneArray above) {
  const F64 d;
  for (Index i = 0; i < 8 * dim; ++i) vectors.set(i, hn::Zero(d));
  RankTwo last{vectors, vectors.from(dim), vectors.from(2 * dim), vectors.from(3 * dim)};
  RankTwo next{vectors.from(4 * dim), vectors.from(5 * dim), vectors.from(6 * dim), vectors.from(7 * dim)};
  for (Index k = 0; k < dim; ++k) {
    for (Index r = k; r < dim; ++r)
      next.u.set(r, hn::NegMulAdd(last.z[r], last.v[k], hn::NegMulAdd(last.u[r], last.w[k], a[r * dim + k])));
    if (k == dim - 1) {
      diagonal.set(k, next.u[k]);
      break;
    }
    diagonal.set(k, Reflector(next.u.from(k), dim - k));

    for (Index c = k + 1; c < dim; ++c) next.w.set(c, hn::Zero(d));
    Index row = k;
    for (; row + 4 <= dim; row += 4) UpdateRows<4>(a, dim, row, k + 1, last, next);
    for (; row < dim; ++row) UpdateRows<1>(a, dim, row, k + 1, last, next);

    for (Index c = k + 1; c < dim; ++c) next.v.set(c, hn::NegMulAdd(next.u[k], next.w[c], a[k * dim + c]));
    if (k == dim - 2) {
      above.set(k, next.v[k + 1]);
      next.v.set(k + 1, hn::Zero(d));
      next.z.set(k + 1, hn::Zero(d));
    } else {
      above.set(k, Reflector(next.v.from(k + 1), dim - k - 1));
      Doubles wv = hn::Zero(d);
      for (Index c = k + 1; c < dim; ++c) wv = hn::MulAdd(next.w[c], next.v[c], wv);
      row = k + 1;
      for (; row + 4 <= dim; row += 4) MultiplyRows<4>(a, dim, row, k + 1, next, wv);
      for (; row < dim; ++row) MultiplyRows<1>(a, dim, row, k + 1, next, wv);
    }
    std::swap(last, next);
  }
}

struct Rotation {
  Doubles cosine, sine, length;
};

/// Rotates (x, y) to (length, 0); leaves exactly alone what has y = 0.
HWY_INLINE Rotation RotateAway(Doubles x, Doubles y) {
  const F64 d;
  const Doubles square = hn::MulAdd(x, x, hn::Mul(y, y));
  const auto needed = hn::And(hn::Gt(square, hn::Set(d, 1e-290)), hn::Ne(y, hn::Zero(d)));
  const Doubles inverse = ReciprocalSqrt(d, square);  // may be NaN where not needed
  return {hn::IfThenElse(needed, hn::Mul(x, inverse), hn::Set(d, 1)), hn::IfThenElseZero(needed, hn::Mul(y, inverse)),
          hn::IfThenElse(needed, hn::Mul(square, inverse), x)};
}

/// The eigenvalue of the last 2 x 2 block of B'B that is closer to its last entry.
HWY_INLINE Doubles WilkinsonShift(LaneArray diagonal, LaneArray above, Index last) {
  const F64 d;
  const Doubles a = diagonal[last - 1], b = above[last - 1], c = diagonal[last];
  const Doubles before = last > 1 ? above[last - 2] : hn::Zero(d);
  const Doubles upper = hn::MulAdd(a, a, hn::Mul(before, before)), lower = hn::MulAdd(c, c, hn::Mul(b, b));
  const Doubles outside = hn::Mul(a, b), half = hn::Mul(hn::Sub(upper, lower), hn::Set(d, 0.5));
  const Doubles outside_square = hn::Mul(outside, outside);
  const Doubles root = hn::Sqrt(hn::MulAdd(half, half, outside_square));
  const Doubles divisor = hn::Add(hn::Abs(half), root);
  const auto step = hn::IfThenElseZero(hn::Gt(divisor, hn::Zero(d)), hn::Div(outside_square, divisor));
  return hn::Sub(lower, hn::CopySign(step, half));
}

/// An upper bidiagonal matrix per lane.
struct Bidiagonal {
  LaneArray diagonal, above;
};

/// One implicit QR sweep down every unreduced block of B; lanes that are done stay as they are. A block ends where an
/// entry above the diagonal is 0, and the bulge is started anew behind it.
class QrSweep {
 public:
  HWY_INLINE QrSweep(Bidiagonal matrix, Doubles shift, Mask done)
      : diagonal_(matrix.diagonal),
        above_(matrix.above),
        shift_(shift),
        done_(done),
        a_(matrix.diagonal[0]),
        b_(matrix.above[0]),
        b_before_sweep_(b_),
        x_(hn::Zero(F64())),
        y_(x_),
        starts_(hn::Eq(x_, x_)) {}

  HWY_INLINE void Step(Index k, Index last) {
    const Doubles zero = hn::Zero(F64()), chased = x_;
    const Doubles x = hn::IfThenElse(starts_, hn::MulSub(a_, a_, shift_), x_);
    const Doubles y = hn::IfThenElse(starts_, hn::IfThenZeroElse(done_, hn::Mul(a_, b_)), y_);
    const Rotation right = RotateAway(x, y);
    if (k > 0) above_.set(k - 1, hn::IfThenElse(starts_, chased, right.length));
    const Doubles f = hn::MulAdd(right.cosine, a_, hn::Mul(right.sine, b_));
    const Doubles b = hn::MulSub(right.cosine, b_, hn::Mul(right.sine, a_)), below = diagonal_[k + 1];
    const Rotation left = RotateAway(f, hn::Mul(right.sine, below));
    const Doubles a = hn::Mul(right.cosine, below);
    diagonal_.set(k, left.length);
    x_ = hn::MulAdd(left.cosine, b, hn::Mul(left.sine, a));
    a_ = hn::MulSub(left.cosine, a, hn::Mul(left.sine, b));
    starts_ = hn::Eq(b_before_sweep_, zero);
    b_before_sweep_ = k + 1 < last ? above_[k + 1] : zero;
    y_ = hn::Mul(left.sine, b_before_sweep_);
    b_ = hn::Mul(left.cosine, b_before_sweep_);
  }

  HWY_INLINE void Finish(Index last) const {
    above_.set(last - 1, x_);
    diagonal_.set(last, a_);
  }

 private:
  LaneArray diagonal_, above_;
  Doubles shift_;
  Mask done_;
  Doubles a_, b_, b_before_sweep_, x_, y_;
  Mask starts_;
};

/// What counts as 0 above the diagonal.
HWY_INLINE Doubles Negligible(const Bidiagonal& matrix, Index dim) {
  Doubles norm = hn::Abs(matrix.diagonal[0]);
  for (Index k = 0; k + 1 < dim; ++k)
    norm = hn::Max(norm, hn::Max(hn::Abs(matrix.above[k]), hn::Abs(matrix.diagonal[k + 1])));
  return hn::Mul(norm, hn::Set(F64(), std::numeric_limits<double>::epsilon() / 2));
}

HWY_INLINE void DropNegligible(LaneArray above, Index last, Doubles negligible) {
  for (Index k = 0; k < last; ++k) above.set(k, hn::IfThenZeroElse(hn::Le(hn::Abs(above[k]), negligible), above[k]));
}

/// Leaves the singular values of two bidiagonal matrices, with any sign, on their diagonals; each lane is accurate to a
/// few epsilon of its largest and does not depend on the other lanes. A sweep is one long chain of dependent rotations:
/// two of them side by side fill the processor.
HWY_INLINE void SingularValues(const Bidiagonal& one, const Bidiagonal& two, Index dim) {
  const F64 d;
  const Doubles negligible_one = Negligible(one, dim), negligible_two = Negligible(two, dim);
  constexpr int most_sweeps = 80, rarely = 16;
  for (Index last = dim - 1; last > 0; --last)
    for (int sweep = 1; sweep <= most_sweeps; ++sweep) {
      DropNegligible(one.above, last, negligible_one);
      DropNegligible(two.above, last, negligible_two);
      const auto one_done = hn::Eq(one.above[last - 1], hn::Zero(d)),
                 two_done = hn::Eq(two.above[last - 1], hn::Zero(d));
      if (hn::AllTrue(d, hn::And(one_done, two_done))) break;
      // No shift now and then, should the shifts run in a circle.
      const bool shifted = sweep % rarely != 0;
      QrSweep first(one, shifted ? WilkinsonShift(one.diagonal, one.above, last) : hn::Zero(d), one_done);
      QrSweep second(two, shifted ? WilkinsonShift(two.diagonal, two.above, last) : hn::Zero(d), two_done);
      for (Index k = 0; k < last; ++k) {
        first.Step(k, last);
        second.Step(k, last);
      }
      first.Finish(last);
      second.Finish(last);
    }
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
