// Decomposes and recomposes groups of matrices, one matrix per vector lane.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/eigen_lanes.cpp"
#include <hwy/foreach_target.h>

#include <array>
#include <cmath>

#include "spd/implicit_ql-inl.h"
#include "spd/spd.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Copies the eigenvalues (descending) and eigenvectors of the first `count` lanes. order: scratch of count x dim.
inline void TakeSorted(const double* HWY_RESTRICT diagonal, const double* HWY_RESTRICT q, Index count, Index dim,
                       const int* exponents, Index* HWY_RESTRICT order, double* HWY_RESTRICT values,
                       double* HWY_RESTRICT vectors) {
  const Index lanes = LaneCount();
  for (Index lane = 0; lane < count; ++lane) {
    Index* const places = order + lane * dim;
    // Offsets in a row of q, in a stable order for equal values.
    for (Index k = 0; k < dim; ++k) places[k] = k * lanes + lane;
    std::sort(places, places + dim,
              [&](Index a, Index b) { return diagonal[a] > diagonal[b] || (!(diagonal[b] > diagonal[a]) && a < b); });
    for (Index k = 0; k < dim; ++k) values[lane * dim + k] = std::ldexp(diagonal[places[k]], exponents[lane]);
  }
  for (Index r = 0; r < dim; ++r)
    for (Index lane = 0; lane < count; ++lane) {
      const double* const row = q + r * dim * lanes;
      // Adding 0 turns -0 into 0, so that the sign of a zero does not depend on the other lanes.
      for (Index k = 0; k < dim; ++k) vectors[(lane * dim + r) * dim + k] = row[order[lane * dim + k]] + 0.0;
    }
}

inline unsigned DecomposeGroup(const double* matrices, Index count, Index dim, double* scratch, Index* order,
                               double* values, double* vectors) {
  const Tag d;
  const Index lanes = LaneCount(), stride = dim * lanes;
  double* triangle = scratch;
  double* q = triangle + stride * (dim + 1) / 2;
  double* diagonal = q + stride * dim;
  double *off = diagonal + stride, *beta = off + stride, *w = beta + stride, *p = w + stride;
  double* rotations = p + stride;
  unsigned failed = 0;
  for (Index first = 0; first < count; first += lanes) {
    const Index taken = std::min(lanes, count - first);
    int exponents[eigen_group];
    InterleaveScaled(matrices + first * dim * dim, taken, dim, triangle, exponents);
    Tridiagonalise(dim, triangle, diagonal, off, beta, w, p);
    FormBasis(dim, triangle, beta, q, w, p);
    const M lost = ImplicitQl(dim, diagonal, off, q, rotations);
    double flags[eigen_group];
    hn::StoreU(hn::IfThenElseZero(lost, hn::Set(d, 1.0)), d, flags);
    for (Index lane = 0; lane < taken; ++lane)
      if (flags[lane] != 0) failed |= 1U << (first + lane);
    TakeSorted(diagonal, q, taken, dim, exponents, order, values + first * dim, vectors + first * dim * dim);
  }
  return failed;
}

/// Entries (r + a, c + b) of W U', rows of W and U contiguous.
template <int kRows, int kColumns>
HWY_INLINE void ProductTile(Index r, Index c, Index dim, const double* HWY_RESTRICT weighted,
                            const double* HWY_RESTRICT u, double* HWY_RESTRICT out) {
  V sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(Tag());
  for (Index k = 0; k < dim; ++k) {
    V right[kColumns];
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) right[b] = Get(u, (c + b) * dim + k);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V left = Get(weighted, (r + a) * dim + k);
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
    }
  }
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) Put(sum[a][b], out, (r + a) * dim + c + b);
}

inline void RecomposeGroup(const double* values, const double* vectors, Index count, Index dim, double* scratch,
                           double* matrices) {
  const Index lanes = LaneCount(), stride = dim * lanes;
  double *u = scratch, *weighted = u + stride * dim, *out = weighted + stride * dim, *weights = out + stride * dim;
  for (Index first = 0; first < count; first += lanes) {
    const Index taken = std::min(lanes, count - first);
    Interleave(vectors + first * dim * dim, dim, dim, taken, u);
    Interleave(values + first * dim, 1, dim, taken, weights);
    for (Index r = 0; r < dim; ++r)
      for (Index k = 0; k < dim; ++k) Put(hn::Mul(Get(u, r * dim + k), Get(weights, k)), weighted, r * dim + k);
    constexpr int kRows = kTileRows;
    Index r = 0;
    for (; r + kRows <= dim; r += kRows)
      for (Index c = 0; c <= r; c += kRows) ProductTile<kRows, kRows>(r, c, dim, weighted, u, out);
    for (; r < dim; ++r)
      for (Index c = 0; c <= r; ++c) ProductTile<1, 1>(r, c, dim, weighted, u, out);
    for (r = 0; r < dim; ++r)
      for (Index lane = 0; lane < taken; ++lane) {
        double* x = matrices + (first + lane) * dim * dim;
        for (Index c = 0; c <= r; ++c) x[r * dim + c] = x[c * dim + r] = out[(r * dim + c) * lanes + lane];
      }
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(DecomposeGroup);
HWY_EXPORT(RecomposeGroup);

Index eigen_scratch(Index dim) {
  // Three matrices and some vectors are enough for both functions.
  return (3 * dim * dim + 16 * dim) * eigen_group;
}

unsigned decompose_group(const double* matrices, Index count, Index dim, double* scratch, double* values,
                         double* vectors) {
  std::array<Index, eigen_group * largest_in_lanes> order;
  return HWY_DYNAMIC_DISPATCH(DecomposeGroup)(matrices, count, dim, scratch, order.data(), values, vectors);
}

void recompose_group(const double* values, const double* vectors, Index count, Index dim, double* scratch,
                     double* matrices) {
  HWY_DYNAMIC_DISPATCH(RecomposeGroup)(values, vectors, count, dim, scratch, matrices);
}

}  // namespace dsk::detail
#endif
