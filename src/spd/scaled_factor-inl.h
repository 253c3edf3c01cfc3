// Small matrices scaled to unit diagonal and their Cholesky factors, one per vector lane.
// Compiled once per SIMD target, hence the toggling include guard.

#if defined(DSK_SPD_SCALED_FACTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_SPD_SCALED_FACTOR_INL_H_
#undef DSK_SPD_SCALED_FACTOR_INL_H_
#else
#define DSK_SPD_SCALED_FACTOR_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "machine/transpose-inl.h"
#include "machine/tridiagonal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// All entries of the first `lanes` of `count` matrices, transposed in blocks; unused lanes repeat the last matrix.
inline void InterleaveWhole(const double* HWY_RESTRICT matrices, Index count, Index entries, double* HWY_RESTRICT to) {
  const Index lanes = LaneCount(), whole = count < lanes ? 0 : entries / lanes * lanes;
  for (Index e = 0; e < whole; e += lanes) TransposeBlock(matrices + e, entries, to + e * lanes, lanes);
  for (Index e = whole; e < entries; ++e)
    for (Index lane = 0; lane < lanes; ++lane) to[e * lanes + lane] = matrices[std::min(lane, count - 1) * entries + e];
}

/// Symmetric matrices scaled to unit diagonal, which become their factors.
struct ScaledGroup {
  Index dim;
  double* HWY_RESTRICT factor;   ///< lower triangles
  double* HWY_RESTRICT inverse;  ///< reciprocals of the pivots
};

/// Entries (r + a, c + b) of the factor, c + kColumns <= r.
template <int kRows, int kColumns>
HWY_INLINE void FactorTile(const ScaledGroup& group, Index r, Index c) {
  double* HWY_RESTRICT rows[kRows];
  double* HWY_RESTRICT columns[kColumns];
  V sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int b = 0; b < kColumns; ++b) columns[b] = TriangleRow(group.factor, c + b);
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a) {
    rows[a] = TriangleRow(group.factor, r + a);
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = Get(rows[a], c + b);
  }
  for (Index k = 0; k < c; ++k) {
    V right[kColumns];
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) right[b] = Get(columns[b], k);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V left = Get(rows[a], k);
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::NegMulAdd(left, right[b], sum[a][b]);
    }
  }
#pragma GCC unroll 4
  for (int b = 0; b < kColumns; ++b) {
    const V reciprocal = Get(group.inverse, c + b);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
#pragma GCC unroll 4
      for (int j = 0; j < b; ++j) sum[a][b] = hn::NegMulAdd(sum[a][j], Get(columns[b], c + j), sum[a][b]);
      sum[a][b] = hn::Mul(sum[a][b], reciprocal);
      Put(sum[a][b], rows[a], c + b);
    }
  }
}

/// The diagonal tile that begins at r. Returns the lanes in which all pivots are positive.
template <int kRows>
HWY_INLINE M FactorDiagonal(const ScaledGroup& group, Index r) {
  const Tag d;
  double* HWY_RESTRICT rows[kRows];
  V sum[kRows][kRows];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a) {
    rows[a] = TriangleRow(group.factor, r + a);
#pragma GCC unroll 4
    for (int b = 0; b <= a; ++b) sum[a][b] = Get(rows[a], r + b);
  }
  for (Index k = 0; k < r; ++k) {
    V entries[kRows];
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) entries[a] = Get(rows[a], k);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
      for (int b = 0; b <= a; ++b) sum[a][b] = hn::NegMulAdd(entries[a], entries[b], sum[a][b]);
  }
  M positive = hn::Eq(hn::Zero(d), hn::Zero(d));
#pragma GCC unroll 4
  for (int b = 0; b < kRows; ++b) {
    // What is subtracted from the 1 on the diagonal leaves rounding of about epsilon in a pivot that should be 0.
    const M here = hn::Gt(sum[b][b], hn::Set(d, std::numeric_limits<double>::epsilon()));
    positive = hn::And(positive, here);
    const V reciprocal = ReciprocalSqrt(d, hn::IfThenElse(here, sum[b][b], hn::Set(d, 1.0)));
    Put(reciprocal, group.inverse, r + b);
#pragma GCC unroll 4
    for (int a = b + 1; a < kRows; ++a) {
#pragma GCC unroll 4
      for (int j = 0; j < b; ++j) sum[a][b] = hn::NegMulAdd(sum[a][j], sum[b][j], sum[a][b]);
      sum[a][b] = hn::Mul(sum[a][b], reciprocal);
      Put(sum[a][b], rows[a], r + b);
      sum[a][a] = hn::NegMulAdd(sum[a][b], sum[a][b], sum[a][a]);
    }
  }
  return positive;
}

HWY_INLINE M Factor(const ScaledGroup& group) {
  constexpr int kTile = kTileRows;
  const Index whole = group.dim / kTile * kTile;
  M positive = hn::Eq(hn::Zero(Tag()), hn::Zero(Tag()));
  for (Index r = 0; r < whole; r += kTile) {
    for (Index c = 0; c < r; c += kTile) FactorTile<kTile, kTile>(group, r, c);
    positive = hn::And(positive, FactorDiagonal<kTile>(group, r));
  }
  for (Index r = whole; r < group.dim; ++r) {
    for (Index c = 0; c < whole; c += kTile) FactorTile<1, kTile>(group, r, c);
    for (Index c = whole; c < r; ++c) FactorTile<1, 1>(group, r, c);
    positive = hn::And(positive, FactorDiagonal<1>(group, r));
  }
  return positive;
}

/// At least the trace of (L L')^-1: see bound_of_inverse_trace, which this is for all lanes. sums: scratch.
HWY_INLINE V BoundOfInverseTrace(const ScaledGroup& group, double* HWY_RESTRICT sums) {
  const Tag d;
  V bound = hn::Zero(d);
  for (Index r = 0; r < group.dim; ++r) {
    const double* HWY_RESTRICT row = TriangleRow(group.factor, r);
    V sum = hn::Set(d, 1.0);
    for (Index c = 0; c < r; ++c) sum = hn::MulAdd(hn::Abs(Get(row, c)), Get(sums, c), sum);
    sum = hn::Mul(sum, Get(group.inverse, r));
    Put(sum, sums, r);
    bound = hn::MulAdd(sum, sum, bound);
  }
  return bound;
}

/// Writes the matrices (X + X')/2 scaled to unit diagonal. `asymmetry` becomes the largest |x_rc - x_cr|. Returns the
/// lanes with a positive diagonal and asymmetry of at most `tolerance` times the largest entry.
HWY_INLINE M ScaleToUnitDiagonal(const double* HWY_RESTRICT x, double tolerance, const ScaledGroup& group,
                                 double* HWY_RESTRICT scales, V& asymmetry) {
  const Tag d;
  const V half = hn::Set(d, 0.5), smallest = hn::Set(d, std::numeric_limits<double>::min());
  const V greatest = hn::Set(d, std::numeric_limits<double>::max());
  M usable = hn::Eq(half, half);
  V largest = hn::Zero(d);
  asymmetry = hn::Zero(d);
  for (Index r = 0; r < group.dim; ++r) {
    const V entry = Get(x, r * group.dim + r);
    const M here = hn::And(hn::Ge(entry, smallest), hn::Le(entry, greatest));
    usable = hn::And(usable, here);
    largest = hn::Max(largest, hn::IfThenElseZero(here, entry));
    const V scale = ReciprocalSqrt(d, hn::IfThenElse(here, entry, hn::Set(d, 1.0)));
    Put(scale, scales, r);
    double* HWY_RESTRICT row = TriangleRow(group.factor, r);
    for (Index c = 0; c < r; ++c) {
      const V a = Get(x, r * group.dim + c), difference = hn::Sub(Get(x, c * group.dim + r), a);
      largest = hn::Max(largest, hn::Abs(a));
      asymmetry = hn::Max(asymmetry, hn::Abs(difference));
      Put(hn::Mul(hn::Mul(hn::MulAdd(difference, half, a), scale), Get(scales, c)), row, c);
    }
    Put(hn::Set(d, 1.0), row, r);
  }
  return hn::And(usable, hn::Le(asymmetry, hn::Mul(largest, hn::Set(d, tolerance))));
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
