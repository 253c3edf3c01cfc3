// Log-determinants of the means of a rectangle of pairs.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/stein_tile.cpp"
#include <hwy/foreach_target.h>

#include <fmt/core.h>

#include "engine/cpu/logdet-inl.h"
#include "engine/cpu/small_pairs-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows that are worth going in step: as many as leave their triangles in registers.
constexpr Index RowsInStep(int dim) {
  return dim <= 3 ? 4 : dim <= 6 ? 2 : 1;
}

/// Determinants of rows `row` .. `row + kRows - 1` of the tile, for all its groups from `first` on.
template <class T, int kDim, int kRows>
HWY_INLINE void FillDeterminants(const SteinTile<T>& tile, Index row, Index first, T* HWY_RESTRICT out, Index stride) {
  const Lanes<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const T* HWY_RESTRICT group = tile.y->group(first);
  for (Index column = (first - tile.group) * group_size<T>; column < tile.groups * group_size<T>;
       column += group_size<T>, group += tile.y->elements() * group_size<T>)
    for (Index part = 0; part < group_size<T>; part += lanes) {
      RowWithGroup<T> means[kRows];
      for (Index u = 0; u < kRows; ++u) means[u] = {tile.x->row(tile.row + row + u), group + part};
      const SmallDeterminant<T, kDim, kRows> determinant(means);
      for (int u = 0; u < kRows; ++u) hn::StoreU(determinant.Value(u), d, out + (row + u) * stride + column + part);
    }
}

template <class T, int kDim>
HWY_INLINE void FillDeterminants(const SteinTile<T>& tile, T* HWY_RESTRICT out, Index stride) {
  constexpr Index kStep = RowsInStep(kDim);
  for (Index row = 0; row < tile.rows;) {
    const Index first = tile.FirstGroup(row);
    if (row + kStep <= tile.rows) {
      FillDeterminants<T, kDim, kStep>(tile, row, first, out, stride);
      row += kStep;
    } else {
      FillDeterminants<T, kDim, 1>(tile, row, first, out, stride);
      ++row;
    }
  }
}

/// kDim = 0: any dimension. The determinants of small matrices are laid down first and take their logarithms
/// afterwards: two short chains of dependent operations keep the processor busier than one long one.
template <class T, int kDim>
HWY_NOINLINE PairPosition FillTile(const SteinTile<T>& tile, T* HWY_RESTRICT out, Index stride, T* scratch) {
  const Lanes<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index dim = tile.x->dim();
  if constexpr (kDim == 0 && hn::MaxLanes(d) == group_size<T>)
    return FullLanesTile<T>(tile, out, stride, scratch).Fill();
  if constexpr (kDim > 0) FillDeterminants<T, kDim>(tile, out, stride);
  PairPosition failure;
  const auto floor = hn::Set(d, tile.clamp ? T{0} : -std::numeric_limits<T>::infinity());
  for (Index r = 0; r < tile.rows; ++r) {
    const Index row = tile.row + r;
    const auto row_offset = hn::Set(d, tile.row_offset[row]);
    for (Index g = tile.FirstGroup(r); g < tile.group + tile.groups; ++g) {
      for (Index part = 0; part < group_size<T>; part += lanes) {
        const Index column = g * group_size<T> + part;
        T* HWY_RESTRICT entry = out + r * stride + column - tile.group * group_size<T>;
        const RowWithGroup<T> means{tile.x->row(row), tile.y->group(g) + part};
        LogDet<T> logdet;
        if constexpr (kDim > 0) {
          logdet = LogOfDeterminant<T>(hn::LoadU(d, entry), means, dim, scratch);
        } else {
          logdet = LogDetOfMeans<T>(means, dim, scratch);
        }
        const auto offset = hn::Add(row_offset, hn::Load(d, tile.column_offset + column));
        hn::StoreU(hn::Max(hn::Sub(logdet.value, offset), floor), d, entry);
        if (HWY_UNLIKELY(!hn::AllTrue(d, logdet.positive)) && !failure.found())
          failure = {row, column + static_cast<Index>(hn::FindFirstTrue(d, hn::Not(logdet.positive)))};
      }
    }
  }
  return failure;
}

/// Returns the position of the first matrix that is not positive definite in this precision, or -1.
template <class T, int kDim>
HWY_NOINLINE Index FillSelfLogDets(const PackedBatch<T>& batch, T* out, T* scratch) {
  const Lanes<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index g = 0; g < batch.groups(); ++g)
    for (Index part = 0; part < group_size<T>; part += lanes) {
      const GroupWithItself<T> means[1] = {{batch.group(g) + part}};
      LogDet<T> logdet;
      if constexpr (kDim > 0) {
        logdet = LogOfDeterminant<T>(SmallDeterminant<T, kDim, 1>(means).Value(0), means[0], kDim, scratch);
      } else {
        logdet = LogDetOfMeans<T>(means[0], batch.dim(), scratch);
      }
      hn::Store(logdet.value, d, out + g * group_size<T> + part);
      if (!hn::AllTrue(d, logdet.positive))
        return g * group_size<T> + part + static_cast<Index>(hn::FindFirstTrue(d, hn::Not(logdet.positive)));
    }
  return -1;
}

// Plain names: what is exported for dispatch must not be a template.
inline PairPosition FillTileF64(const SteinTile<double>& tile, double* out, Index stride, double* scratch) {
  return WithDim(tile.x->dim(), [&](auto dim) { return FillTile<double, dim>(tile, out, stride, scratch); });
}
inline PairPosition FillTileF32(const SteinTile<float>& tile, float* out, Index stride, float* scratch) {
  return WithDim(tile.x->dim(), [&](auto dim) { return FillTile<float, dim>(tile, out, stride, scratch); });
}
inline Index FillSelfF64(const PackedBatch<double>& batch, double* out, double* scratch) {
  return WithDim(batch.dim(), [&](auto dim) { return FillSelfLogDets<double, dim>(batch, out, scratch); });
}
inline Index FillSelfF32(const PackedBatch<float>& batch, float* out, float* scratch) {
  return WithDim(batch.dim(), [&](auto dim) { return FillSelfLogDets<float, dim>(batch, out, scratch); });
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillTileF64);
HWY_EXPORT(FillTileF32);
HWY_EXPORT(FillSelfF64);
HWY_EXPORT(FillSelfF32);

void refuse_matrix(Index failed, const char* precision) {
  throw NumericalFailure(
      fmt::format("matrix {} is not positive definite in {} precision: it is too small compared with "
                  "the largest matrix, or its condition number is too large",
                  failed, precision));
}

namespace {

void check_found(Index failed, const char* precision) {
  if (failed >= 0) refuse_matrix(failed, precision);
}

}  // namespace

template <class T>
Index factor_scratch(Index dim) {
  const Index strips = (dim + 3) / 4;
  return 8 * strips * (strips + 1) * group_size<T>;
}
template Index factor_scratch<double>(Index);
template Index factor_scratch<float>(Index);

template <>
PairPosition stein_tile(const SteinTile<double>& tile, double* out, Index stride, double* scratch) {
  return HWY_DYNAMIC_DISPATCH(FillTileF64)(tile, out, stride, scratch);
}

template <>
PairPosition stein_tile(const SteinTile<float>& tile, float* out, Index stride, float* scratch) {
  return HWY_DYNAMIC_DISPATCH(FillTileF32)(tile, out, stride, scratch);
}

template <>
void self_logdets(const PackedBatch<double>& batch, double* logdets, double* scratch) {
  check_found(HWY_DYNAMIC_DISPATCH(FillSelfF64)(batch, logdets, scratch), "double");
}

template <>
void self_logdets(const PackedBatch<float>& batch, float* logdets, float* scratch) {
  check_found(HWY_DYNAMIC_DISPATCH(FillSelfF32)(batch, logdets, scratch), "single");
}

template <class T>
AlignedArray<T> self_logdets(const PackedBatch<T>& batch) {
  AlignedArray<T> result(batch.groups() * group_size<T>), scratch(factor_scratch<T>(batch.dim()));
  self_logdets(batch, result.data(), scratch.data());
  return result;
}
template AlignedArray<double> self_logdets(const PackedBatch<double>&);
template AlignedArray<float> self_logdets(const PackedBatch<float>&);

}  // namespace dsk::engine
#endif
