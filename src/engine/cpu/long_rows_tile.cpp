// Squared Euclidean distances of long rows: one pair after the other, with neighbouring numbers of a row in the lanes,
// so that rows need not be interleaved first.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/long_rows_tile.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "engine/cpu/lanes-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Numbers of each row of a tile that are taken at a time, so that those of all rows stay in cache.
inline constexpr Index kChunk = 1024;

/// Adds the squared distances of kRows x kColumns pairs of rows of `size` numbers to out.
template <class T, int kRows, int kColumns>
HWY_INLINE void AddLongBlock(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, Index row_stride, Index size,
                             T* HWY_RESTRICT out, Index stride) {
  const Lanes<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<Lanes<T>> sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) sum[r][c] = hn::Zero(d);
  Index e = 0;
  for (; e + lanes <= size; e += lanes) {
    hn::Vec<Lanes<T>> column[kColumns];
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) column[c] = hn::LoadU(d, y + c * row_stride + e);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const auto row = hn::LoadU(d, x + r * row_stride + e);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        const auto difference = hn::Sub(row, column[c]);
        sum[r][c] = hn::MulAdd(difference, difference, sum[r][c]);
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) {
      T total = hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
      for (Index left = e; left < size; ++left) {
        const T difference = x[r * row_stride + left] - y[c * row_stride + left];
        total += difference * difference;
      }
      out[r * stride + c] += total;
    }
}

template <class T>
HWY_INLINE void FillLong(const LongRowsTile<T>& tile, T* HWY_RESTRICT out, Index stride) {
  for (Index r = 0; r < tile.rows; ++r) std::fill_n(out + r * stride, tile.columns, T{0});
  for (Index first = 0; first < tile.width; first += kChunk) {
    const Index size = std::min(kChunk, tile.width - first);
    Index r = 0;
    for (; r + 4 <= tile.rows; r += 4) {
      const T* const x = tile.x + r * tile.row_stride + first;
      Index c = 0;
      for (; c + 4 <= tile.columns; c += 4)
        AddLongBlock<T, 4, 4>(x, tile.y + c * tile.row_stride + first, tile.row_stride, size, out + r * stride + c,
                              stride);
      for (; c < tile.columns; ++c)
        AddLongBlock<T, 4, 1>(x, tile.y + c * tile.row_stride + first, tile.row_stride, size, out + r * stride + c,
                              stride);
    }
    for (; r < tile.rows; ++r)
      for (Index c = 0; c < tile.columns; ++c)
        AddLongBlock<T, 1, 1>(tile.x + r * tile.row_stride + first, tile.y + c * tile.row_stride + first,
                              tile.row_stride, size, out + r * stride + c, stride);
  }
}

inline void FillLongF64(const LongRowsTile<double>& tile, double* out, Index stride) {
  FillLong(tile, out, stride);
}
inline void FillLongF32(const LongRowsTile<float>& tile, float* out, Index stride) {
  FillLong(tile, out, stride);
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillLongF64);
HWY_EXPORT(FillLongF32);

template <>
void long_rows_tile(const LongRowsTile<double>& tile, double* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillLongF64)(tile, out, stride);
}

template <>
void long_rows_tile(const LongRowsTile<float>& tile, float* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillLongF32)(tile, out, stride);
}

}  // namespace dsk::engine
#endif
