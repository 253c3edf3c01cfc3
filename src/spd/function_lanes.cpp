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

/// Symmetric matrices from lower triangles in lanes, times a factor and with a number added to the diagonal.
inline void WriteMatrices(Index dim, const double* HWY_RESTRICT f, const double* factors, const double* added,
                          Index taken, double* HWY_RESTRICT results) {
  const Tag d;
  const Index lanes = LaneCount();
  const V factor = hn::Load(d, factors), on_diagonal = hn::Load(d, added), zero = hn::Zero(d);
  // Adding 0 turns -0 into 0, so that the sign of a zero does not depend on the other lanes.
  const auto entry = [&](Index r, Index c) HWY_ATTR {
    const Index top = std::min(r, c), bottom = std::max(r, c);
    return hn::MulAdd(Get(f, bottom * (bottom + 1) / 2 + top), factor, r == c ? on_diagonal : zero);
  };
  HWY_ALIGN double block[kMostLanes * kMostLanes];
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c < dim; c += lanes) {
      const Index width = std::min(lanes, dim - c);
      for (Index k = 0; k < width; ++k) Put(entry(r, c + k), block, k);
      double* const to = results + r * dim + c;
      if (width == lanes && taken == lanes) {
        TransposeBlock(block, lanes, to, dim * dim);
        continue;
      }
      for (Index lane = 0; lane < taken; ++lane)
        for (Index k = 0; k < width; ++k) to[lane * dim * dim + k] = block[k * lanes + lane];
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
    HWY_ALIGN double factors[eigen_group], added[eigen_group];
    for (Index lane = 0; lane < lanes; ++lane) {
      const bool log = function == SpectralFunction::logarithm;
      const int half = exponents[lane] / 2;
      factors[lane] = log ? 1 : PowerOfTwo(function == SpectralFunction::root ? half : -half);
      added[lane] = log ? exponents[lane] * std::numbers::ln2 : 0;
    }
    WriteMatrices(dim, memory.f, factors, added, taken, results + first * dim * dim);
  }
  return refused;
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(FunctionGroup);

Index function_scratch(Index dim) {
  // A congruence and the minors of small matrices use the same memory, one after the other.
  constexpr Index largest_by_minors = 16, widest_tile = 4;
  const Index minors = dim <= largest_by_minors ? 2 * (dim + widest_tile) * most_shifts : 0;
  return (dim * (dim + 1) + (5 + 16) * dim + 2 * most_shifts + std::max(2 * dim * dim, minors)) * eigen_group;
}

unsigned function_group(SpectralFunction function, const double* matrices, Index count, Index dim,
                        const double* congruence, double* scratch, double* results, double* conditions) {
  return HWY_DYNAMIC_DISPATCH(FunctionGroup)(function, matrices, count, dim, congruence, scratch, results, conditions);
}

}  // namespace dsk::detail
#endif
