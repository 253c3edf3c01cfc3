// Log-determinants of the means of a rectangle of pairs.

#if defined(DSK_PAIRS_STEIN_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_STEIN_TILE_INL_H_
#undef DSK_PAIRS_STEIN_TILE_INL_H_
#else
#define DSK_PAIRS_STEIN_TILE_INL_H_
#endif

#include "pairs/factor-inl.h"
#include "pairs/small-inl.h"
#include "pairs/stein_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct LogDet {
  hn::Vec<Lanes<T>> value;
  hn::Mask<Lanes<T>> positive;
};

/// By Cholesky, for any dimension; `scratch` takes the factor.
template <class T, class Means>
HWY_NOINLINE LogDet<T> FactoredLogDet(const Means& means, Index dim, T* scratch) {
  const Lanes<T> d;
  LogProduct<Lanes<T>> determinant(d);
  Factorisation<T, Means>(means, dim, Strips<T>{scratch}).Run(determinant);
  return {determinant.Log(d), determinant.Positive()};
}

/// kDim = 0: any dimension.
template <class T, int kDim, class Means>
HWY_INLINE LogDet<T> MeanLogDet(const Means& means, Index dim, T* scratch) {
  if constexpr (kDim == 0) {
    return FactoredLogDet<T>(means, dim, scratch);
  } else {
    const Lanes<T> d;
    const SmallDeterminant<T, kDim> determinant(means);
    const auto reliable = determinant.Reliable();
    LogDet<T> result{hn::Log(d, determinant.Value()), reliable};
    if (HWY_UNLIKELY(!hn::AllTrue(d, reliable))) {
      const auto factored = FactoredLogDet<T>(means, kDim, scratch);
      result.value = hn::IfThenElse(reliable, result.value, factored.value);
      result.positive = hn::Or(reliable, factored.positive);
    }
    return result;
  }
}

template <class T, int kDim>
HWY_NOINLINE PairPosition FillTile(const SteinTile<T>& tile, T* HWY_RESTRICT out, Index stride, T* scratch) {
  const Lanes<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index dim = tile.x->dim();
  PairPosition failure;
  for (Index r = 0; r < tile.rows; ++r) {
    const Index row = tile.row + r;
    const auto row_offset = hn::Set(d, tile.row_offset[row]);
    const auto floor = hn::Set(d, tile.clamp ? T{0} : -std::numeric_limits<T>::infinity());
    const Index first = tile.above_diagonal_only ? std::max(tile.group, row / group_size<T>) : tile.group;
    for (Index g = first; g < tile.group + tile.groups; ++g) {
      for (Index part = 0; part < group_size<T>; part += lanes) {
        const RowWithGroup<T> means{tile.x->row(row), tile.y->group(g) + part};
        const auto logdet = MeanLogDet<T, kDim>(means, dim, scratch);
        const Index column = g * group_size<T> + part;
        const auto offset = hn::Add(row_offset, hn::Load(d, tile.column_offset + column));
        hn::StoreU(hn::Max(hn::Sub(logdet.value, offset), floor), d, out + r * stride + column - tile.group * group_size<T>);
        if (HWY_UNLIKELY(!hn::AllTrue(d, logdet.positive)) && !failure.found())
          failure = {row, column + hn::FindFirstTrue(d, hn::Not(logdet.positive))};
      }
    }
  }
  return failure;
}

template <class T>
PairPosition FillTileOfAnyDim(const SteinTile<T>& tile, T* out, Index stride, T* scratch) {
  switch (tile.x->dim()) {
    case 1: return FillTile<T, 1>(tile, out, stride, scratch);
    case 2: return FillTile<T, 2>(tile, out, stride, scratch);
    case 3: return FillTile<T, 3>(tile, out, stride, scratch);
    case 4: return FillTile<T, 4>(tile, out, stride, scratch);
    case 5: return FillTile<T, 5>(tile, out, stride, scratch);
    case 6: return FillTile<T, 6>(tile, out, stride, scratch);
    case 7: return FillTile<T, 7>(tile, out, stride, scratch);
    case 8: return FillTile<T, 8>(tile, out, stride, scratch);
    default: return FillTile<T, 0>(tile, out, stride, scratch);
  }
}

template <class T, int kDim>
HWY_NOINLINE void FillSelfLogDets(const PackedBatch<T>& batch, T* out, T* scratch) {
  const Lanes<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index g = 0; g < batch.groups(); ++g)
    for (Index part = 0; part < group_size<T>; part += lanes) {
      const GroupWithItself<T> means{batch.group(g) + part};
      hn::Store(MeanLogDet<T, kDim>(means, batch.dim(), scratch).value, d, out + g * group_size<T> + part);
    }
}

template <class T>
void FillSelfLogDetsOfAnyDim(const PackedBatch<T>& batch, T* out, T* scratch) {
  switch (batch.dim()) {
    case 1: return FillSelfLogDets<T, 1>(batch, out, scratch);
    case 2: return FillSelfLogDets<T, 2>(batch, out, scratch);
    case 3: return FillSelfLogDets<T, 3>(batch, out, scratch);
    case 4: return FillSelfLogDets<T, 4>(batch, out, scratch);
    case 5: return FillSelfLogDets<T, 5>(batch, out, scratch);
    case 6: return FillSelfLogDets<T, 6>(batch, out, scratch);
    case 7: return FillSelfLogDets<T, 7>(batch, out, scratch);
    case 8: return FillSelfLogDets<T, 8>(batch, out, scratch);
    default: return FillSelfLogDets<T, 0>(batch, out, scratch);
  }
}

// Plain names: what is exported for dispatch must not be a template.
inline PairPosition FillTileF64(const SteinTile<double>& tile, double* out, Index stride, double* scratch) {
  return FillTileOfAnyDim(tile, out, stride, scratch);
}
inline PairPosition FillTileF32(const SteinTile<float>& tile, float* out, Index stride, float* scratch) {
  return FillTileOfAnyDim(tile, out, stride, scratch);
}
inline void FillSelfF64(const PackedBatch<double>& batch, double* out, double* scratch) {
  FillSelfLogDetsOfAnyDim(batch, out, scratch);
}
inline void FillSelfF32(const PackedBatch<float>& batch, float* out, float* scratch) {
  FillSelfLogDetsOfAnyDim(batch, out, scratch);
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
