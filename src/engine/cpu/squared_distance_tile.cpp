// Squared Euclidean distances of a rectangle of pairs of rows: register tiles, one pair per lane.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/squared_distance_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/lanes-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Vectors per register tile beside 4 rows, for the number of registers there are.
inline constexpr int kVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

template <class T, int kRows, int kColumns>
HWY_INLINE void DistanceBlock(const T* const (&rows)[kRows], const T* const (&columns)[kColumns], Index features,
                              T* HWY_RESTRICT out, Index stride) {
  const Lanes<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<Lanes<T>> sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) sum[r][c] = hn::Zero(d);
  for (Index e = 0; e < features; ++e) {
    hn::Vec<Lanes<T>> column[kColumns];
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) column[c] = hn::Load(d, columns[c] + e * group_size<T>);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const auto row = hn::Set(d, rows[r][e]);
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
    for (int c = 0; c < kColumns; ++c) hn::StoreU(sum[r][c], d, out + r * stride + c * lanes);
}

template <class T, int kRows>
HWY_INLINE void DistanceRows(const SquaredDistanceTile<T>& tile, Index row, T* HWY_RESTRICT out, Index stride) {
  const Index lanes = static_cast<Index>(hn::Lanes(Lanes<T>()));
  const Index vectors = tile.groups * group_size<T> / lanes;
  const Index features = tile.x->width();
  const T* rows[kRows];
  for (int r = 0; r < kRows; ++r) rows[r] = tile.x->row(tile.row + row + r);
  const auto vector = [&](Index v) {
    const Index column = tile.group * group_size<T> + v * lanes;
    return tile.y->group(column / group_size<T>) + column % group_size<T>;
  };
  Index v = 0;
  for (; v + kVectors <= vectors; v += kVectors) {
    const T* columns[kVectors];
    for (int c = 0; c < kVectors; ++c) columns[c] = vector(v + c);
    DistanceBlock<T, kRows, kVectors>(rows, columns, features, out + row * stride + v * lanes, stride);
  }
  for (; v < vectors; ++v) {
    const T* columns[1] = {vector(v)};
    DistanceBlock<T, kRows, 1>(rows, columns, features, out + row * stride + v * lanes, stride);
  }
}

template <class T>
HWY_INLINE void FillDistances(const SquaredDistanceTile<T>& tile, T* out, Index stride) {
  Index row = 0;
  for (; row + 4 <= tile.rows; row += 4) DistanceRows<T, 4>(tile, row, out, stride);
  for (; row < tile.rows; ++row) DistanceRows<T, 1>(tile, row, out, stride);
}

inline void FillDistancesF64(const SquaredDistanceTile<double>& tile, double* out, Index stride) {
  FillDistances(tile, out, stride);
}
inline void FillDistancesF32(const SquaredDistanceTile<float>& tile, float* out, Index stride) {
  FillDistances(tile, out, stride);
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillDistancesF64);
HWY_EXPORT(FillDistancesF32);

template <>
void squared_distance_tile(const SquaredDistanceTile<double>& tile, double* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillDistancesF64)(tile, out, stride);
}

template <>
void squared_distance_tile(const SquaredDistanceTile<float>& tile, float* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillDistancesF32)(tile, out, stride);
}

}  // namespace dsk::engine
#endif
