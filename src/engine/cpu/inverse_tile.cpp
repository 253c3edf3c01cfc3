#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/inverse_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/inverse_tile-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(SumTileF64);
HWY_EXPORT(SumTileF32);
HWY_EXPORT(SumPairsF64);
HWY_EXPORT(SumPairsF32);

template <class T>
Index inverse_scratch(Index dim, Index forms) {
  return forms * triangle(dim) * group_size<T> + factor_scratch<T>(dim);
}
template Index inverse_scratch<double>(Index, Index);
template Index inverse_scratch<float>(Index, Index);

template <>
PairPosition inverse_tile(const InverseTile<double>& tile, double* scratch) {
  return HWY_DYNAMIC_DISPATCH(SumTileF64)(tile, scratch);
}

template <>
PairPosition inverse_tile(const InverseTile<float>& tile, float* scratch) {
  return HWY_DYNAMIC_DISPATCH(SumTileF32)(tile, scratch);
}

template <>
PairPosition inverse_pairs(const PackedBatch<double>& x, std::span<const WeightedPair> pairs,
                           SumsOfInverses<double>& sums, double* scratch) {
  return HWY_DYNAMIC_DISPATCH(SumPairsF64)(x, pairs, sums, scratch);
}

template <>
PairPosition inverse_pairs(const PackedBatch<float>& x, std::span<const WeightedPair> pairs,
                           SumsOfInverses<float>& sums, float* scratch) {
  return HWY_DYNAMIC_DISPATCH(SumPairsF32)(x, pairs, sums, scratch);
}

}  // namespace dsk::engine
#endif
