// Tiles into their place in the result, by blocks transposed in registers.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/place_tile.cpp"
#include <hwy/foreach_target.h>

#include <dsk/matrices.hpp>

#include <hwy/highway.h>

#include <algorithm>

#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;

/// Transposes a square block of as many rows as a vector has lanes.
HWY_INLINE void TransposeBlock(const double* HWY_RESTRICT from, Index from_stride, double* HWY_RESTRICT to,
                               Index to_stride) {
  constexpr int kLanes = hn::MaxLanes(Doubles());
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kLanes == 8 || kLanes == 4) {
    const Doubles d;
    using V = hn::Vec<Doubles>;
    V even[kLanes / 2], odd[kLanes / 2];
#pragma GCC unroll 4
    for (Index k = 0; k < kLanes / 2; ++k) {
      const V a = hn::LoadU(d, from + 2 * k * from_stride), b = hn::LoadU(d, from + (2 * k + 1) * from_stride);
      even[k] = hn::InterleaveLower(d, a, b);
      odd[k] = hn::InterleaveUpper(d, a, b);
    }
    const auto spread = [&](const V* pairs, Index first) HWY_ATTR {
      if constexpr (kLanes == 4) {
        hn::StoreU(hn::ConcatLowerLower(d, pairs[1], pairs[0]), d, to + first * to_stride);
        hn::StoreU(hn::ConcatUpperUpper(d, pairs[1], pairs[0]), d, to + (first + 2) * to_stride);
      } else {
        const V a = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(pairs[1]), pairs[0]);
        const V b = hn::OddEvenBlocks(pairs[1], hn::SwapAdjacentBlocks(pairs[0]));
        const V e = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(pairs[3]), pairs[2]);
        const V f = hn::OddEvenBlocks(pairs[3], hn::SwapAdjacentBlocks(pairs[2]));
        hn::StoreU(hn::ConcatLowerLower(d, e, a), d, to + first * to_stride);
        hn::StoreU(hn::ConcatLowerLower(d, f, b), d, to + (first + 2) * to_stride);
        hn::StoreU(hn::ConcatUpperUpper(d, e, a), d, to + (first + 4) * to_stride);
        hn::StoreU(hn::ConcatUpperUpper(d, f, b), d, to + (first + 6) * to_stride);
      }
    };
    spread(even, 0);
    spread(odd, 1);
    return;
  }
#endif
  for (Index r = 0; r < kLanes; ++r)
    for (Index c = 0; c < kLanes; ++c) to[c * to_stride + r] = from[r * from_stride + c];
}

inline void PlaceTile(const double* HWY_RESTRICT values, Index stride, Index rows, Index columns, double* matrix,
                      Index width, Index row, Index column, bool mirror) {
  for (Index r = 0; r < rows; ++r) std::copy_n(values + r * stride, columns, matrix + (row + r) * width + column);
  if (!mirror) return;
  constexpr Index kBlock = hn::MaxLanes(Doubles());
  double* HWY_RESTRICT transposed = matrix + column * width + row;
  const Index whole_rows = rows - rows % kBlock, whole_columns = columns - columns % kBlock;
  for (Index c = 0; c < whole_columns; c += kBlock)
    for (Index r = 0; r < whole_rows; r += kBlock)
      TransposeBlock(values + r * stride + c, stride, transposed + c * width + r, width);
  for (Index c = 0; c < columns; ++c)
    for (Index r = c < whole_columns ? whole_rows : 0; r < rows; ++r)
      transposed[c * width + r] = values[r * stride + c];
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(PlaceTile);

void place_tile(const double* values, Index stride, Index rows, Index columns, double* matrix, Index width, Index row,
                Index column, bool mirror) {
  HWY_DYNAMIC_DISPATCH(PlaceTile)(values, stride, rows, columns, matrix, width, row, column, mirror);
}

}  // namespace dsk::engine
#endif
