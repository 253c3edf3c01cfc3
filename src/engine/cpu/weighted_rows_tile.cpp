// Weighted sums of rows, as in the product of a tile of weights with a block of rows: register tiles, neighbouring
// numbers of a row in the lanes.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/weighted_rows_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/lanes-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums per register tile beside three vectors, for the number of registers there are.
inline constexpr int kSums = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

template <int kRows, int kVectors>
HWY_INLINE void AddBlock(const WeightedRowsTile& tile, Index row, Index column, double* HWY_RESTRICT out) {
  const Lanes<double> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<Lanes<double>> sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Load(d, out + (row + r) * tile.width + column + v * lanes);
  for (Index k = 0; k < tile.terms; ++k) {
    const double* HWY_RESTRICT term = tile.rows + k * tile.width + column;
    const double* HWY_RESTRICT weight = tile.weights + row * tile.stride + k;
    hn::Vec<Lanes<double>> part[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) part[v] = hn::Load(d, term + v * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto factor = hn::Set(d, weight[r * tile.stride]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, part[v], sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, out + (row + r) * tile.width + column + v * lanes);
}

template <int kVectors>
HWY_INLINE void AddColumns(const WeightedRowsTile& tile, Index column, double* HWY_RESTRICT out) {
  Index row = 0;
  for (; row + kSums <= tile.sums; row += kSums) AddBlock<kSums, kVectors>(tile, row, column, out);
  for (; row < tile.sums; ++row) AddBlock<1, kVectors>(tile, row, column, out);
}

inline void AddWeightedRows(const WeightedRowsTile& tile, double* out) {
  const auto lanes = static_cast<Index>(hn::Lanes(Lanes<double>()));
  Index column = 0;
  for (; column + 3 * lanes <= tile.width; column += 3 * lanes) AddColumns<3>(tile, column, out);
  for (; column < tile.width; column += lanes) AddColumns<1>(tile, column, out);
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(AddWeightedRows);

void weighted_rows_tile(const WeightedRowsTile& tile, double* out) {
  HWY_DYNAMIC_DISPATCH(AddWeightedRows)(tile, out);
}

}  // namespace dsk::engine
#endif
