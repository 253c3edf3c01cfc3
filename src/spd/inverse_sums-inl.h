// Weighted sums of inverses of T + t for tridiagonal matrices T, one per vector lane: larger matrices by ratios of
// entries that are beside each other, small ones by minors.

#if defined(DSK_SPD_INVERSE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_SPD_INVERSE_SUMS_INL_H_
#undef DSK_SPD_INVERSE_SUMS_INL_H_
#else
#define DSK_SPD_INVERSE_SUMS_INL_H_
#endif

#include "machine/tridiagonal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Shifts whose inverses are added in one pass over f(T).
inline constexpr int kShifts = 8;

/// Adds sum_s weights[s] (T + shifts[s])^-1 to the lower triangle, for kShifts shifts. ratios: scratch.
inline void AddInverses(Index dim, const double* HWY_RESTRICT diagonal, const double* HWY_RESTRICT off,
                        const double* HWY_RESTRICT shifts, const double* HWY_RESTRICT weights,
                        double* HWY_RESTRICT ratios, double* triangle) {
  const Tag d;
  double* HWY_RESTRICT inverses = ratios + kShifts * dim * LaneCount();
  V entry[kShifts];
#pragma GCC unroll 8
  for (int s = 0; s < kShifts; ++s) entry[s] = hn::Zero(d);
  for (Index i = dim - 1; i >= 0; --i) {
    const V link = Get(off, i), a = Get(diagonal, i);
#pragma GCC unroll 8
    for (int s = 0; s < kShifts; ++s) {
      const V ratio = hn::Neg(hn::Mul(link, entry[s]));
      entry[s] = hn::Div(hn::Set(d, 1.0), hn::MulAdd(link, ratio, hn::Add(a, Get(shifts, s))));
      Put(ratio, ratios, i * kShifts + s);
      Put(hn::Mul(entry[s], Get(weights, s)), inverses, i * kShifts + s);
    }
  }
#pragma GCC unroll 8
  for (int s = 0; s < kShifts; ++s) entry[s] = Get(inverses, s);
  for (Index i = 0;; ++i) {
    V along[kShifts];
#pragma GCC unroll 8
    for (int s = 0; s < kShifts; ++s) along[s] = entry[s];
    double* to = TriangleRow(triangle, i);
    for (Index j = i;; ++j) {
      const V sum = hn::Add(hn::Add(hn::Add(along[0], along[1]), hn::Add(along[2], along[3])),
                            hn::Add(hn::Add(along[4], along[5]), hn::Add(along[6], along[7])));
      Put(hn::Add(Get(to, i), sum), to, i);
      if (j + 1 == dim) break;
#pragma GCC unroll 8
      for (int s = 0; s < kShifts; ++s) along[s] = hn::Mul(along[s], Get(ratios, j * kShifts + s));
      to += (j + 1) * LaneCount();
    }
    if (i + 1 == dim) break;
#pragma GCC unroll 8
    for (int s = 0; s < kShifts; ++s) {
      const V ratio = Get(ratios, i * kShifts + s);
      entry[s] = hn::MulAdd(hn::Mul(ratio, ratio), entry[s], Get(inverses, (i + 1) * kShifts + s));
    }
  }
}

/// Up to this size, the leading and trailing minors of T + t are within the range of double for all shifts.
inline constexpr Index kLargestByMinors = 16;

/// The size rounded up to whole tiles.
inline constexpr Index Padded(Index dim) {
  return (dim + kTileRows - 1) / kTileRows * kTileRows;
}

/// For kCount shifts from `first` on: trailing[j] = the minor of rows j + 1.. of T + t, and leading[i] = that of rows
/// 0..i - 1 times weight / det(T + t). Each of the minors costs two products; there is one division per shift.
template <int kCount>
HWY_INLINE void FillMinors(Index dim, Index used, Index first, const double* HWY_RESTRICT diagonal,
                           const double* HWY_RESTRICT off, const double* HWY_RESTRICT shifts,
                           const double* HWY_RESTRICT weights, double* HWY_RESTRICT leading,
                           double* HWY_RESTRICT trailing) {
  const Tag d;
  V shift[kCount], here[kCount], before[kCount];
  const auto step = [&](Index i, V square) HWY_ATTR {
    const V entry = Get(diagonal, i);
#pragma GCC unroll 8
    for (int s = 0; s < kCount; ++s) {
      const V next = hn::NegMulAdd(square, before[s], hn::Mul(hn::Add(entry, shift[s]), here[s]));
      before[s] = here[s];
      here[s] = next;
    }
  };
  const auto square_at = [&](Index i) HWY_ATTR { return hn::Mul(Get(off, i), Get(off, i)); };
  const V zero = hn::Zero(d);
#pragma GCC unroll 8
  for (int s = 0; s < kCount; ++s) {
    shift[s] = Get(shifts, first + s);
    before[s] = zero;
    here[s] = hn::Set(d, 1.0);
  }
  for (Index j = dim - 1; j >= 0; --j) {
#pragma GCC unroll 8
    for (int s = 0; s < kCount; ++s) Put(here[s], trailing, j * used + first + s);
    step(j, j + 1 < dim ? square_at(j) : zero);
  }
#pragma GCC unroll 8
  for (int s = 0; s < kCount; ++s) {
    here[s] = hn::Div(Get(weights, first + s), here[s]);
    before[s] = zero;
  }
  for (Index i = 0; i < dim; ++i) {
#pragma GCC unroll 8
    for (int s = 0; s < kCount; ++s) Put(here[s], leading, i * used + first + s);
    step(i, i > 0 ? square_at(i - 1) : zero);
  }
}

/// Sets the lower triangle to sum_s weights[s] (T + shifts[s])^-1 for `used` shifts, a multiple of 4. In an inverse,
/// the entry (i, j), i <= j, is the product of the leading minor before i, of the trailing minor behind j and of the
/// entries -T_k,k+1 between them, over the determinant. minors: scratch.
inline void SumInverses(Index dim, Index used, const double* HWY_RESTRICT diagonal, const double* HWY_RESTRICT off,
                        const double* HWY_RESTRICT shifts, const double* HWY_RESTRICT weights,
                        double* HWY_RESTRICT minors, double* triangle) {
  const Tag d;
  constexpr int kTile = kTileRows;
  const Index padded = Padded(dim);
  double* HWY_RESTRICT leading = minors;
  double* HWY_RESTRICT trailing = leading + padded * used * LaneCount();
  for (Index e = dim * used; e < padded * used; ++e) {
    Put(hn::Zero(d), leading, e);
    Put(hn::Zero(d), trailing, e);
  }
  Index first = 0;
  for (; first + 8 <= used; first += 8)
    FillMinors<8>(dim, used, first, diagonal, off, shifts, weights, leading, trailing);
  if (first < used) FillMinors<4>(dim, used, first, diagonal, off, shifts, weights, leading, trailing);
  for (Index i = 0; i < padded; i += kTile)
    for (Index j = i; j < padded; j += kTile) {
      V sum[kTile][kTile];
#pragma GCC unroll 4
      for (int a = 0; a < kTile; ++a)
#pragma GCC unroll 4
        for (int b = 0; b < kTile; ++b) sum[a][b] = hn::Zero(d);
      for (Index s = 0; s < used; ++s) {
        V right[kTile];
#pragma GCC unroll 4
        for (int b = 0; b < kTile; ++b) right[b] = Get(trailing, (j + b) * used + s);
#pragma GCC unroll 4
        for (int a = 0; a < kTile; ++a) {
          const V left = Get(leading, (i + a) * used + s);
#pragma GCC unroll 4
          for (int b = 0; b < kTile; ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
        }
      }
#pragma GCC unroll 4
      for (int a = 0; a < kTile; ++a)
#pragma GCC unroll 4
        for (int b = 0; b < kTile; ++b)
          if (i + a <= j + b && j + b < dim) Put(sum[a][b], TriangleRow(triangle, j + b), i + a);
    }
  for (Index i = 0; i < dim; ++i) {
    V between = hn::Set(d, 1.0);
    for (Index j = i + 1; j < dim; ++j) {
      between = hn::Neg(hn::Mul(between, Get(off, j - 1)));
      double* const row = TriangleRow(triangle, j);
      Put(hn::Mul(Get(row, i), between), row, i);
    }
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
