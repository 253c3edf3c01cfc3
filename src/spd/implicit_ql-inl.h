// Implicit QL with Wilkinson shifts on tridiagonal matrices, one per lane. A lane that is done in a sweep gets
// rotations by exactly 0, so that the result of a lane does not depend on the others.

#if defined(DSK_SPD_IMPLICIT_QL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_SPD_IMPLICIT_QL_INL_H_
#undef DSK_SPD_IMPLICIT_QL_INL_H_
#else
#define DSK_SPD_IMPLICIT_QL_INL_H_
#endif

#include <limits>

#include "machine/tridiagonal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Number of sweeps whose rotations are collected before they are applied to the vectors, which improves cache use.
inline constexpr Index kSweepsKept = 4;

/// Rotations of columns (i, i + 1) for i = top - 1 down to bottom: cosine and sine of i at 2 i and 2 i + 1.
struct Sweep {
  Index bottom = 0, top = 0;
  double* rotations = nullptr;
};

template <int kRows>
HWY_INLINE void RotateRows(const Sweep& sweep, Index dim, double* HWY_RESTRICT rows) {
  const Index stride = dim * LaneCount();
  V carried[kRows];
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) carried[k] = Get(rows + k * stride, sweep.top);
  for (Index i = sweep.top - 1; i >= sweep.bottom; --i) {
    const V cosine = Get(sweep.rotations, 2 * i), sine = Get(sweep.rotations, 2 * i + 1);
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) {
      const V left = Get(rows + k * stride, i);
      Put(hn::MulAdd(cosine, carried[k], hn::Mul(sine, left)), rows + k * stride, i + 1);
      carried[k] = hn::NegMulAdd(sine, carried[k], hn::Mul(cosine, left));
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) Put(carried[k], rows + k * stride, sweep.bottom);
}

inline void RotateBasis(const Sweep* sweeps, Index count, Index dim, double* q) {
  Index r = 0;
  for (; r + kTileRows <= dim; r += kTileRows)
    for (Index s = 0; s < count; ++s) RotateRows<kTileRows>(sweeps[s], dim, q + r * dim * LaneCount());
  for (; r < dim; ++r)
    for (Index s = 0; s < count; ++s) RotateRows<1>(sweeps[s], dim, q + r * dim * LaneCount());
}

/// The end of the unreduced block that begins at `bottom`, for each lane, as a double.
struct BlockEnd {
  V index;
  V diagonal;  ///< the diagonal entry there
  Index top;   ///< the largest index of any lane
};

HWY_INLINE BlockEnd FindBlockEnd(const double* diagonal, const double* off, Index bottom, Index dim) {
  const Tag d;
  const V epsilon = hn::Set(d, std::numeric_limits<double>::epsilon());
  // The matrices are scaled to about 1, so this is far below the rounding error of the largest eigenvalue.
  const V floor = hn::Set(d, 0x1p-100);
  BlockEnd end{hn::Set(d, static_cast<double>(dim - 1)), Get(diagonal, dim - 1), dim - 1};
  M open = hn::Eq(epsilon, epsilon);
  V here = Get(diagonal, bottom);
  for (Index m = bottom; m + 1 < dim; ++m) {
    const V next = Get(diagonal, m + 1);
    const V limit = hn::MulAdd(epsilon, hn::Add(hn::Abs(here), hn::Abs(next)), floor);
    const M closes = hn::And(open, hn::Le(hn::Abs(Get(off, m)), limit));
    end.index = hn::IfThenElse(closes, hn::Set(d, static_cast<double>(m)), end.index);
    end.diagonal = hn::IfThenElse(closes, here, end.diagonal);
    open = hn::AndNot(closes, open);
    if (hn::AllFalse(d, open)) {
      end.top = m;
      break;
    }
    here = next;
  }
  return end;
}

/// One QL sweep over [sweep.bottom, end] of every lane whose block is longer than 1; fills in the rotations.
HWY_INLINE void QlSweep(const Sweep& sweep, const BlockEnd& end, double* HWY_RESTRICT diagonal,
                        double* HWY_RESTRICT off) {
  const Tag d;
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const Index bottom = sweep.bottom;
  M active = hn::Gt(end.index, hn::Set(d, static_cast<double>(bottom)));
  const V first_off = hn::IfThenElse(active, Get(off, bottom), one), first_diagonal = Get(diagonal, bottom);
  const V half = hn::Div(hn::Sub(Get(diagonal, bottom + 1), first_diagonal), hn::Add(first_off, first_off));
  const V hypotenuse = hn::CopySign(hn::Sqrt(hn::MulAdd(half, half, one)), half);
  V g = hn::Add(hn::Sub(end.diagonal, first_diagonal), hn::Div(first_off, hn::Add(half, hypotenuse)));
  V s = one, c = one, p = zero;
  for (Index i = sweep.top - 1; i >= bottom; --i) {
    const V above = Get(diagonal, i + 1), off_i = Get(off, i);
    const M reached = hn::And(active, hn::Gt(end.index, hn::Set(d, static_cast<double>(i))));
    const M begins = hn::Eq(end.index, hn::Set(d, static_cast<double>(i + 1)));
    const V f = hn::Mul(s, off_i), b = hn::Mul(c, off_i);
    const V square = hn::MulAdd(f, f, hn::Mul(g, g));
    // The bulge has vanished: the block splits here, and its rest is left to the next sweep.
    const M splits = hn::And(reached, hn::Lt(square, hn::Set(d, kNegligibleSquare)));
    const M turns = hn::AndNot(splits, reached);
    const V safe_square = hn::IfThenElse(turns, square, one);
    const V reciprocal = ReciprocalSqrt(d, safe_square);
    const V sine = hn::Mul(f, reciprocal), cosine = hn::Mul(g, reciprocal);
    const V shifted = hn::Sub(above, p);
    const V r = hn::MulAdd(hn::Sub(Get(diagonal, i), shifted), sine, hn::Mul(hn::Add(cosine, cosine), b));
    const V next_p = hn::Mul(sine, r);
    const V next_off = hn::IfThenZeroElse(hn::Or(begins, splits), hn::Mul(safe_square, reciprocal));
    Put(hn::IfThenElse(turns, hn::Add(shifted, next_p), hn::IfThenElse(splits, shifted, above)), diagonal, i + 1);
    Put(hn::IfThenElse(reached, next_off, Get(off, i + 1)), off, i + 1);
    Put(hn::IfThenElse(turns, cosine, one), sweep.rotations, 2 * i);
    Put(hn::IfThenElseZero(turns, sine), sweep.rotations, 2 * i + 1);
    g = hn::IfThenElse(turns, hn::MulSub(cosine, r, b), g);
    s = hn::IfThenElse(turns, sine, s);
    c = hn::IfThenElse(turns, cosine, c);
    p = hn::IfThenElse(turns, next_p, p);
    active = hn::AndNot(splits, active);
  }
  Put(hn::IfThenElse(active, hn::Sub(first_diagonal, p), Get(diagonal, bottom)), diagonal, bottom);
  Put(hn::IfThenElse(active, g, Get(off, bottom)), off, bottom);
}

/// Turns `diagonal` into eigenvalues (unsorted) and the columns of q into eigenvectors. Returns a mask of the lanes
/// that did not converge. rotations: scratch of 2 kSweepsKept dim vectors.
inline M ImplicitQl(Index dim, double* diagonal, double* off, double* q, double* rotations) {
  const Tag d;
  constexpr int most_sweeps = 40;
  M failed = hn::Gt(hn::Zero(d), hn::Zero(d));
  Sweep sweeps[kSweepsKept];
  for (Index s = 0; s < kSweepsKept; ++s) sweeps[s].rotations = rotations + s * 2 * dim * LaneCount();
  Index kept = 0;
  for (Index bottom = 0; bottom + 1 < dim; ++bottom) {
    for (int sweep = 0;; ++sweep) {
      const BlockEnd end = FindBlockEnd(diagonal, off, bottom, dim);
      if (end.top == bottom) break;
      if (sweep == most_sweeps) {
        failed = hn::Or(failed, hn::Gt(end.index, hn::Set(d, static_cast<double>(bottom))));
        break;
      }
      sweeps[kept].bottom = bottom;
      sweeps[kept].top = end.top;
      QlSweep(sweeps[kept], end, diagonal, off);
      if (++kept == kSweepsKept) {
        RotateBasis(sweeps, kept, dim, q);
        kept = 0;
      }
    }
  }
  RotateBasis(sweeps, kept, dim, q);
  return failed;
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
