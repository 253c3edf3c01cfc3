// Products of rows with rows that are interleaved: register tiles, one pair per lane.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/row_products_tile.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "engine/cpu/lanes-inl.h"
#include "engine/engine.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Numbers that are summed up one after the other; sums of sums round less, and those of a tile stay in cache.
inline constexpr Index kProductChunk = 128;

/// Adds the products of kRows rows and kVectors vectors of columns to out.
template <int kRows, int kVectors>
HWY_INLINE void AddProductBlock(const double* HWY_RESTRICT rows, const double* const (&columns)[kVectors], Index width,
                                Index size, double* HWY_RESTRICT out, Index stride) {
  const Lanes<double> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<Lanes<double>> sum[kRows][kVectors];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < kVectors; ++c) sum[r][c] = hn::Zero(d);
  for (Index e = 0; e < size; ++e) {
    hn::Vec<Lanes<double>> column[kVectors];
#pragma GCC unroll 4
    for (int c = 0; c < kVectors; ++c) column[c] = hn::Load(d, columns[c] + e * group_size<double>);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const auto row = hn::Set(d, rows[r * width + e]);
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) sum[r][c] = hn::MulAdd(row, column[c], sum[r][c]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < kVectors; ++c) {
      double* HWY_RESTRICT to = out + r * stride + c * lanes;
      hn::StoreU(hn::Add(hn::LoadU(d, to), sum[r][c]), d, to);
    }
}

/// kRows rows from `row` on, and the numbers `first` to `first` + `size` - 1 of each.
template <int kRows>
HWY_INLINE void AddProductRows(const RowProductsTile& tile, Index row, Index first, Index size,
                               double* HWY_RESTRICT out, Index stride) {
  constexpr int kVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  const auto lanes = static_cast<Index>(hn::Lanes(Lanes<double>()));
  const Index vectors = tile.groups * group_size<double> / lanes;
  const double* const rows = tile.rows + row * tile.width + first;
  const auto vector = [&](Index v) {
    const Index column = v * lanes;
    return tile.columns + (column / group_size<double> * tile.width + first) * group_size<double> +
           column % group_size<double>;
  };
  double* const to = out + row * stride;
  Index v = 0;
  for (; v + kVectors <= vectors; v += kVectors) {
    const double* columns[kVectors];
    for (int c = 0; c < kVectors; ++c) columns[c] = vector(v + c);
    AddProductBlock<kRows, kVectors>(rows, columns, tile.width, size, to + v * lanes, stride);
  }
  for (; v < vectors; ++v) {
    const double* columns[1] = {vector(v)};
    AddProductBlock<kRows, 1>(rows, columns, tile.width, size, to + v * lanes, stride);
  }
}

inline void FillProducts(const RowProductsTile& tile, double* out, Index stride) {
  for (Index row = 0; row < tile.height; ++row) std::fill_n(out + row * stride, tile.groups * group_size<double>, 0.0);
  for (Index first = 0; first < tile.width; first += kProductChunk) {
    const Index size = std::min(kProductChunk, tile.width - first);
    Index row = 0;
    for (; row + 4 <= tile.height; row += 4) AddProductRows<4>(tile, row, first, size, out, stride);
    for (; row < tile.height; ++row) AddProductRows<1>(tile, row, first, size, out, stride);
  }
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillProducts);

void row_products_tile(const RowProductsTile& tile, double* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillProducts)(tile, out, stride);
}

}  // namespace dsk::engine
#endif
