// Inverses of small matrices, one per vector lane, from the factor of their check.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/inverse_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>

#include <limits>

#include "spd/scaled_factor-inl.h"
#include "spd/spd.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Entries (r + a, c + b) of the inverse N of the factor L, c + kColumns <= r, in place of those of L. Of L, what is
/// right of them is still there, and of N what is above them.
template <int kRows, int kColumns>
HWY_INLINE void InvertTile(const ScaledGroup& group, Index r, Index c) {
  double* HWY_RESTRICT rows[kRows];
  V sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a) {
    rows[a] = TriangleRow(group.factor, r + a);
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(Tag());
  }
#pragma GCC unroll 4
  for (int k = 0; k < kColumns; ++k) {
    const double* HWY_RESTRICT above = TriangleRow(group.factor, c + k);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V left = Get(rows[a], c + k);
#pragma GCC unroll 4
      for (int b = 0; b <= k; ++b) sum[a][b] = hn::MulAdd(left, Get(above, c + b), sum[a][b]);
    }
  }
  for (Index k = c + kColumns; k < r; ++k) {
    const double* HWY_RESTRICT above = TriangleRow(group.factor, k);
    V right[kColumns];
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) right[b] = Get(above, c + b);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V left = Get(rows[a], k);
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
    }
  }
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a) {
    const V reciprocal = Get(group.inverse, r + a);
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) {
#pragma GCC unroll 4
      for (int k = 0; k < a; ++k) sum[a][b] = hn::MulAdd(Get(rows[a], r + k), sum[k][b], sum[a][b]);
      sum[a][b] = hn::Neg(hn::Mul(sum[a][b], reciprocal));
      Put(sum[a][b], rows[a], c + b);
    }
  }
}

/// The diagonal tile that begins at r, after all that is left of it.
template <int kRows>
HWY_INLINE void InvertDiagonal(const ScaledGroup& group, Index r) {
  V n[kRows][kRows];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a) {
    double* HWY_RESTRICT row = TriangleRow(group.factor, r + a);
    n[a][a] = Get(group.inverse, r + a);
#pragma GCC unroll 4
    for (int b = 0; b < a; ++b) {
      V sum = hn::Zero(Tag());
#pragma GCC unroll 4
      for (int k = b; k < a; ++k) sum = hn::MulAdd(Get(row, r + k), n[k][b], sum);
      n[a][b] = hn::Neg(hn::Mul(sum, n[a][a]));
    }
#pragma GCC unroll 4
    for (int b = 0; b <= a; ++b) Put(n[a][b], row, r + b);
  }
}

HWY_INLINE void InvertFactor(const ScaledGroup& group) {
  constexpr int kTile = kTileRows;
  const Index whole = group.dim / kTile * kTile;
  for (Index r = 0; r < whole; r += kTile) {
    for (Index c = 0; c < r; c += kTile) InvertTile<kTile, kTile>(group, r, c);
    InvertDiagonal<kTile>(group, r);
  }
  for (Index r = whole; r < group.dim; ++r) {
    for (Index c = 0; c < whole; c += kTile) InvertTile<1, kTile>(group, r, c);
    for (Index c = whole; c < r; ++c) InvertTile<1, 1>(group, r, c);
    InvertDiagonal<1>(group, r);
  }
}

/// Calls take(r, c, vector) for the entries (r + a, c + b) of N'N; kDiagonal: r is c, and the lower triangle is taken.
template <int kRows, int kColumns, bool kDiagonal, class Take>
HWY_INLINE void ProductTile(const ScaledGroup& group, Index r, Index c, const Take& take) {
  V sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(Tag());
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    const double* HWY_RESTRICT row = TriangleRow(group.factor, r + k);
#pragma GCC unroll 4
    for (int a = 0; a <= k; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < (kDiagonal ? a + 1 : kColumns); ++b)
        sum[a][b] = hn::MulAdd(Get(row, r + a), Get(row, c + b), sum[a][b]);
  }
  for (Index k = r + kRows; k < group.dim; ++k) {
    const double* HWY_RESTRICT row = TriangleRow(group.factor, k);
    V right[kColumns];
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) right[b] = Get(row, c + b);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V left = Get(row, r + a);
#pragma GCC unroll 4
      for (int b = 0; b < (kDiagonal ? a + 1 : kColumns); ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
    }
  }
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < (kDiagonal ? a + 1 : kColumns); ++b) take(r + a, c + b, sum[a][b]);
}

template <class Take>
HWY_INLINE void ForEachEntryOfProduct(const ScaledGroup& group, const Take& take) {
  constexpr int kTile = kTileRows;
  const Index whole = group.dim / kTile * kTile;
  for (Index r = 0; r < whole; r += kTile) {
    for (Index c = 0; c < r; c += kTile) ProductTile<kTile, kTile, false>(group, r, c, take);
    ProductTile<kTile, kTile, true>(group, r, r, take);
  }
  for (Index r = whole; r < group.dim; ++r) {
    for (Index c = 0; c < whole; c += kTile) ProductTile<1, kTile, false>(group, r, c, take);
    for (Index c = whole; c < r; ++c) ProductTile<1, 1, false>(group, r, c, take);
    ProductTile<1, 1, true>(group, r, r, take);
  }
}

/// Sets the bits of the lanes.
inline void Mark(M lanes, Index taken, Index first, unsigned& bits) {
  HWY_ALIGN double flags[eigen_group];
  hn::Store(hn::IfThenElseZero(lanes, hn::Set(Tag(), 1.0)), Tag(), flags);
  for (Index lane = 0; lane < taken; ++lane)
    if (flags[lane] == 1) bits |= 1U << (first + lane);
}

inline void InvertGroup(const double* matrices, Index count, Index dim, double tolerance, const InverseForm& form,
                        double* scratch, GroupInverse* result) {
  const Tag d;
  const Index lanes = LaneCount();
  double* const whole = scratch;
  const ScaledGroup group{dim, whole + dim * dim * lanes, whole + (dim * dim + dim * (dim + 1) / 2) * lanes};
  double *const scales = group.inverse + dim * lanes, *const sums = scales + dim * lanes;
  const V useful = hn::Set(d, 0.5 / (static_cast<double>(dim) * std::numeric_limits<double>::epsilon()));
  for (Index first = 0; first < count; first += lanes) {
    const Index taken = std::min(lanes, count - first);
    InterleaveWhole(matrices + first * dim * dim, taken, dim * dim, whole);
    V asymmetry;
    const M symmetric = ScaleToUnitDiagonal(whole, tolerance, group, scales, asymmetry);
    const M factored = hn::And(symmetric, Factor(group));
    Mark(hn::And(factored, hn::Lt(BoundOfInverseTrace(group, sums), useful)), taken, first, result->check.valid);
    Mark(hn::Eq(asymmetry, hn::Zero(d)), taken, first, result->check.exact);
    Mark(factored, taken, first, result->factored);
    HWY_ALIGN double unit[kMostLanes];
    for (Index lane = 0; lane < lanes; ++lane)
      unit[lane] = form.units == nullptr ? 1 : form.units[first + std::min(lane, taken - 1)];
    const V units = hn::Load(d, unit);
    V logdet = hn::Zero(d);
    for (Index r = 0; r < dim; ++r) {
      const V scale = hn::Mul(Get(scales, r), units);
      Put(scale, scales, r);
      // Infinite or not a number in lanes without a factor.
      logdet = hn::Add(logdet, hn::Log(d, hn::Mul(scale, Get(group.inverse, r))));
    }
    hn::StoreU(hn::Mul(logdet, hn::Set(d, -2.0)), d, result->logdets + first);
    InvertFactor(group);
    const V off_diagonal = hn::Set(d, form.off_diagonal);
    double* const inverses = form.inverses + first;
    ForEachEntryOfProduct(group, [&](Index r, Index c, V entry) HWY_ATTR {
      const V scaled = hn::Mul(hn::Mul(entry, Get(scales, r)), Get(scales, c));
      hn::StoreU(r == c ? scaled : hn::Mul(scaled, off_diagonal), d, inverses + (r * (r + 1) / 2 + c) * eigen_group);
    });
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(InvertGroup);

GroupInverse invert_group(const double* matrices, Index count, Index dim, double tolerance, const InverseForm& form,
                          double* scratch) {
  GroupInverse result;
  HWY_DYNAMIC_DISPATCH(InvertGroup)(matrices, count, dim, tolerance, form, scratch, &result);
  return result;
}

}  // namespace dsk::detail
#endif
