// Weighted sums of logarithms of congruences L X L' with a lower triangular L, one matrix per vector lane.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/log_sum_lanes.cpp"
#include <hwy/foreach_target.h>

#include <cmath>
#include <numbers>

#include "machine/transpose-inl.h"
#include "spd/function-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Interleaves lower triangles; unused lanes repeat the last matrix.
inline void InterleaveTriangles(const double* matrices, Index count, Index dim, double* HWY_RESTRICT triangle) {
  const Index lanes = LaneCount();
  for (Index r = 0; r < dim; triangle += ++r * lanes) {
    Index done = 0;
    if (count == lanes)
      for (; done + lanes <= r + 1; done += lanes)
        TransposeBlock(matrices + r * dim + done, dim * dim, triangle + done * lanes, lanes);
    for (Index lane = 0; lane < lanes; ++lane) {
      const double* HWY_RESTRICT row = matrices + (std::min(lane, count - 1) * dim + r) * dim;
      for (Index c = done; c <= r; ++c) triangle[c * lanes + lane] = row[c];
    }
  }
}

/// Entries (r + a, c + b) of L X for c <= r, X a lower triangle in lanes.
template <int kRows, int kColumns>
HWY_INLINE void MultiplyByLower(Index r, Index c, Index dim, const double* HWY_RESTRICT lower, double* x,
                                double* product) {
  V sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(Tag());
  const auto add = [&](Index k, const V(&column)[kColumns]) HWY_ATTR {
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V factor = hn::Set(Tag(), lower[(r + a) * dim + k]);
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::MulAdd(factor, column[b], sum[a][b]);
    }
  };
  // Entry (k, c + b) of X is that of row c + b above the diagonal, of row k from there on.
  V column[kColumns];
  for (Index k = 0; k < c; ++k) {
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) column[b] = Get(TriangleRow(x, c + b), k);
    add(k, column);
  }
  for (Index k = c; k < c + kColumns; ++k) {
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b)
      column[b] = k < c + b ? Get(TriangleRow(x, c + b), k) : Get(TriangleRow(x, k), c + b);
    add(k, column);
  }
  for (Index k = c + kColumns; k < r + kRows; ++k) {
    const double* row = TriangleRow(x, k);
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) column[b] = Get(row, c + b);
    add(k, column);
  }
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b)
      if (c + b <= r + a) Put(sum[a][b], TriangleRow(product, r + a), c + b);
}

/// The entries of rows r.. and columns c.. of P L' that lie in the lower triangle; P is a triangle: the sum over k ends
/// at the column, where L does.
template <int kRows, int kColumns>
HWY_INLINE void MultiplyByTransposed(Index r, Index c, Index dim, double* product, const double* HWY_RESTRICT lower,
                                     double* triangle) {
  V sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(Tag());
  for (Index k = 0; k < c + kColumns; ++k) {
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V entry = Get(TriangleRow(product, r + a), std::min(k, r + a));
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b)
        sum[a][b] = hn::MulAdd(entry, hn::Set(Tag(), lower[(c + b) * dim + k]), sum[a][b]);
    }
  }
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b)
      if (c + b <= r + a) Put(sum[a][b], TriangleRow(triangle, r + a), c + b);
}

/// The lower triangle of L X L'. product: scratch of a triangle.
inline void LowerCongruence(Index dim, const double* lower, double* x, double* product, double* triangle) {
  constexpr int kTile = kTileRows;
  const Index whole = dim / kTile * kTile;
  for (Index r = 0; r < whole; r += kTile)
    for (Index c = 0; c <= r; c += kTile) MultiplyByLower<kTile, kTile>(r, c, dim, lower, x, product);
  for (Index r = whole; r < dim; ++r)
    for (Index c = 0; c <= r; ++c) MultiplyByLower<1, 1>(r, c, dim, lower, x, product);
  for (Index r = 0; r < whole; r += kTile)
    for (Index c = 0; c <= r; c += kTile) MultiplyByTransposed<kTile, kTile>(r, c, dim, product, lower, triangle);
  for (Index r = whole; r < dim; ++r)
    for (Index c = 0; c <= r; ++c) MultiplyByTransposed<1, 1>(r, c, dim, product, lower, triangle);
}

/// Adds the logarithms in f, plus `added` on the diagonal, times weights; lanes without a weight count as 0.
inline void AddWeighted(Index dim, double* f, V weight, V added, double* sums, V& trace, V& squared_norm) {
  const Tag d;
  const M use = hn::Gt(weight, hn::Zero(d));
  V below = hn::Zero(d);
  trace = squared_norm = hn::Zero(d);
  for (Index r = 0; r < dim; ++r) {
    const double* from = TriangleRow(f, r);
    double* to = TriangleRow(sums, r);
    for (Index c = 0; c < r; ++c) {
      const V entry = hn::IfThenElseZero(use, Get(from, c));
      Put(hn::MulAdd(weight, entry, Get(to, c)), to, c);
      below = hn::MulAdd(entry, entry, below);
    }
    const V entry = hn::IfThenElseZero(use, hn::Add(Get(from, r), added));
    Put(hn::MulAdd(weight, entry, Get(to, r)), to, r);
    trace = hn::Add(trace, entry);
    squared_norm = hn::MulAdd(entry, entry, squared_norm);
  }
  squared_norm = hn::Add(squared_norm, hn::Add(below, below));
}

inline unsigned AddLogarithms(const double* matrices, Index count, Index dim, const double* lower,
                              const double* weights, double* scratch, double* sums, LogarithmFacts* facts) {
  const Tag d;
  const Index lanes = LaneCount();
  const FunctionMemory memory(dim, scratch);
  unsigned refused = 0;
  for (Index first = 0; first < count; first += lanes) {
    const Index taken = std::min(lanes, count - first);
    // X takes the place of f until that is formed.
    InterleaveTriangles(matrices + first * dim * dim, taken, dim, memory.f);
    LowerCongruence(dim, lower, memory.f, memory.rest, memory.triangle);
    int exponents[eigen_group];
    Rescale(dim, memory.triangle, exponents);
    double conditions[eigen_group];
    const unsigned unusable = FunctionOfTriangles(SpectralFunction::logarithm, dim, taken, memory, conditions);
    HWY_ALIGN double own[eigen_group], added[eigen_group], traces[eigen_group], norms[eigen_group];
    for (Index lane = 0; lane < lanes; ++lane) {
      own[lane] = lane < taken && (unusable >> lane & 1U) == 0 ? weights[first + lane] : 0;
      added[lane] = exponents[lane] * std::numbers::ln2;
    }
    V trace, norm;
    AddWeighted(dim, memory.f, hn::Load(d, own), hn::Load(d, added), sums, trace, norm);
    hn::Store(trace, d, traces);
    hn::Store(norm, d, norms);
    for (Index lane = 0; lane < taken; ++lane) facts[first + lane] = {conditions[lane], traces[lane], norms[lane]};
    refused |= unusable << first;
  }
  return refused;
}

inline void AddLanes(Index dim, const double* sums, double* matrix) {
  const Index lanes = LaneCount();
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c <= r; ++c, sums += lanes)
      for (Index lane = 0; lane < lanes; ++lane) matrix[r * dim + c] += sums[lane];
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(AddLogarithms);
HWY_EXPORT(AddLanes);

unsigned add_logarithms(const double* matrices, Index count, Index dim, const double* lower, const double* weights,
                        double* scratch, double* sums, LogarithmFacts* facts) {
  return HWY_DYNAMIC_DISPATCH(AddLogarithms)(matrices, count, dim, lower, weights, scratch, sums, facts);
}

void add_lanes(Index dim, const double* sums, double* matrix) {
  HWY_DYNAMIC_DISPATCH(AddLanes)(dim, sums, matrix);
}

}  // namespace dsk::detail
#endif
