// Functions of groups of positive definite matrices, or of congruences of them, one matrix per vector lane.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/function_lanes.cpp"
#include <hwy/foreach_target.h>

#include <cmath>
#include <numbers>

#include "spd/function-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Entries (r + a, c + b) of A B' with A or B in lanes and the other the same for all lanes.
template <int kRows, int kColumns, bool kLeftInLanes>
HWY_INLINE void CongruenceTile(Index r, Index c, Index dim, const double* HWY_RESTRICT left,
                               const double* HWY_RESTRICT right, V (&sum)[kRows][kColumns]) {
  const Tag d;
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(d);
  for (Index k = 0; k < dim; ++k) {
    V second[kColumns];
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b)
      second[b] = kLeftInLanes ? hn::Set(d, right[(c + b) * dim + k]) : Get(right, (c + b) * dim + k);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const V first = kLeftInLanes ? Get(left, (r + a) * dim + k) : hn::Set(d, left[(r + a) * dim + k]);
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::MulAdd(first, second[b], sum[a][b]);
    }
  }
}

/// A tile of `product` = W X'; X is symmetric.
template <int kRows, int kColumns>
HWY_INLINE void MultiplyColumns(Index r, Index c, Index dim, const double* w, const double* x, double* product) {
  V sum[kRows][kColumns];
  CongruenceTile<kRows, kColumns, false>(r, c, dim, w, x, sum);
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) Put(sum[a][b], product, (r + a) * dim + c + b);
}

/// The entries of rows r.. and columns c.. of `product` W' that lie in the lower triangle.
template <int kRows, int kColumns>
HWY_INLINE void MultiplyTriangle(Index r, Index c, Index dim, const double* product, const double* w,
                                 double* triangle) {
  V sum[kRows][kColumns];
  CongruenceTile<kRows, kColumns, true>(r, c, dim, product, w, sum);
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b)
      if (c + b <= r + a) Put(sum[a][b], TriangleRow(triangle, r + a), c + b);
}

/// The lower triangle of W X W'. product: scratch of a whole matrix.
inline void Congruence(Index dim, const double* w, const double* x, double* product, double* triangle) {
  constexpr int kTile = kTileRows;
  const Index whole = dim / kTile * kTile;
  for (Index c = 0; c < whole; c += kTile) {
    for (Index r = 0; r < whole; r += kTile) MultiplyColumns<kTile, kTile>(r, c, dim, w, x, product);
    for (Index r = whole; r < dim; ++r) MultiplyColumns<1, kTile>(r, c, dim, w, x, product);
  }
  for (Index c = whole; c < dim; ++c) {
    for (Index r = 0; r < whole; r += kTile) MultiplyColumns<kTile, 1>(r, c, dim, w, x, product);
    for (Index r = whole; r < dim; ++r) MultiplyColumns<1, 1>(r, c, dim, w, x, product);
  }
  for (Index r = 0; r < whole; r += kTile)
    for (Index c = 0; c <= r; c += kTile) MultiplyTriangle<kTile, kTile>(r, c, dim, product, w, triangle);
  for (Index r = whole; r < dim; ++r) {
    for (Index c = 0; c < whole; c += kTile) MultiplyTriangle<1, kTile>(r, c, dim, product, w, triangle);
    for (Index c = whole; c <= r; ++c) MultiplyTriangle<1, 1>(r, c, dim, product, w, triangle);
  }
}

inline unsigned FunctionGroup(SpectralFunction function, const double* matrices, Index count, Index dim,
                              const double* congruence, double* scratch, double* results, double* conditions) {
  const Index lanes = LaneCount();
  const FunctionMemory memory(dim, scratch);
  unsigned refused = 0;
  for (Index first = 0; first < count; first += lanes) {
    const Index taken = std::min(lanes, count - first);
    int exponents[eigen_group];
    if (congruence) {
      double* x = memory.rest;
      Interleave(matrices + first * dim * dim, dim, dim, taken, x);
      Congruence(dim, congruence, x, x + dim * dim * lanes, memory.triangle);
      Rescale(dim, memory.triangle, exponents);
    } else {
      InterleaveScaled(matrices + first * dim * dim, taken, dim, memory.triangle, exponents);
    }
    refused |= FunctionOfTriangles(function, dim, taken, memory, conditions + first) << first;
    for (Index lane = 0; lane < taken; ++lane) {
      const bool log = function == SpectralFunction::logarithm;
      const int half = exponents[lane] / 2;
      const double factor = log ? 1 : std::ldexp(1.0, function == SpectralFunction::root ? half : -half);
      const double added = log ? exponents[lane] * std::numbers::ln2 : 0;
      double* x = results + (first + lane) * dim * dim;
      for (Index r = 0; r < dim; ++r) {
        const double* row = TriangleRow(memory.f, r);
        // Adding 0 turns -0 into 0, so that the sign of a zero does not depend on the other lanes.
        for (Index c = 0; c < r; ++c) x[r * dim + c] = x[c * dim + r] = row[c * lanes + lane] * factor + 0.0;
        x[r * dim + r] = row[r * lanes + lane] * factor + added;
      }
    }
  }
  return refused;
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(FunctionGroup);

Index function_scratch(Index dim) {
  return (dim * (dim + 1) + (5 + 16) * dim + 2 * most_shifts + 2 * dim * dim) * eigen_group;
}

unsigned function_group(SpectralFunction function, const double* matrices, Index count, Index dim,
                        const double* congruence, double* scratch, double* results, double* conditions) {
  return HWY_DYNAMIC_DISPATCH(FunctionGroup)(function, matrices, count, dim, congruence, scratch, results, conditions);
}

}  // namespace dsk::detail
#endif
