// Weighted sums of inverses of pair means over a rectangle of pairs, or over a list of pairs.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/inverse_tile.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "engine/cpu/inverse-inl.h"
#include "engine/cpu/inverse_sweep-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The listed pairs, as many side by side as a vector has lanes.
template <class T, int kDim>
HWY_NOINLINE PairPosition SumListedPairs(const PackedBatch<T>& x, std::span<const WeightedPair> pairs,
                                         SumsOfInverses<T>& sums, T* scratch) {
  const Lanes<T> d;
  using V = hn::Vec<Lanes<T>>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index elements = x.elements(), total = static_cast<Index>(pairs.size());
  T* HWY_RESTRICT means = scratch;
  T* HWY_RESTRICT factor = scratch + elements * group_size<T>;
  PairPosition failure;
  for (Index first = 0; first < total; first += lanes) {
    const Index count = std::min(lanes, total - first);
    const auto pair = [&](Index l) -> const WeightedPair& { return pairs[static_cast<std::size_t>(first + l)]; };
    HWY_ALIGN T weights[group_size<T>] = {};
    for (Index l = 0; l < lanes; ++l) {
      const WeightedPair& source = pair(std::min(l, count - 1));
      const T* row = x.row(source.row);
      const T* column = x.row(source.column);
      for (Index e = 0; e < elements; ++e) means[e * lanes + l] = row[e] + column[e];
      if (l < count) weights[l] = static_cast<T>(source.weight);
    }
    WithInverse<T, kDim>(SideBySide<T>{means}, x.dim(), factor, [&](V, auto positive, const auto& inverse) HWY_ATTR {
      if (!hn::AllTrue(d, positive) && !failure.found()) {
        const WeightedPair& bad = pair(static_cast<Index>(hn::FindFirstTrue(d, hn::Not(positive))));
        failure = {bad.row, bad.column};
      }
      const V weight = hn::Load(d, weights);
      inverse().ForEachElement([&](Index e, V value)
                                   HWY_ATTR { hn::Store(hn::Mul(weight, value), d, means + e * lanes); });
    });
    for (Index l = 0; l < count; ++l)
      for (const Index i : {pair(l).row, pair(l).column}) {
        T* HWY_RESTRICT sum = sums.at(0, i / group_size<T>) + i % group_size<T>;
        for (Index e = 0; e < elements; ++e) sum[e * group_size<T>] += means[e * lanes + l];
      }
  }
  return failure;
}

/// The inverses of the matrices of a group, interleaved as they are. False if one is not positive definite.
template <int kDim>
HWY_NOINLINE bool InvertMembers(const PackedBatch<double>& x, Index group, double* inverses, double* scratch) {
  const Lanes<double> d;
  using V = hn::Vec<Lanes<double>>;
  bool all_positive = true;
  for (Index part = 0; part < group_size<double>; part += static_cast<Index>(hn::Lanes(d)))
    WithInverse<double, kDim>(GroupWithItself<double>{x.group(group) + part}, x.dim(), scratch,
                              [&](V, auto positive, const auto& inverse) HWY_ATTR {
                                all_positive &= hn::AllTrue(d, positive);
                                inverse().ForEachElement([&](Index e, V value) HWY_ATTR {
                                  hn::Store(value, d, inverses + e * group_size<double> + part);
                                });
                              });
  return all_positive;
}

// Plain names: what is exported for dispatch must not be a template.
inline bool InvertGroup(const PackedBatch<double>& x, Index group, double* inverses, double* scratch) {
  return WithDim(x.dim(), [&](auto dim) { return InvertMembers<dim>(x, group, inverses, scratch); });
}
template <class T>
HWY_INLINE PairPosition SumTile(const InverseTile<T>& tile, T* scratch) {
  return WithDim(tile.x->dim(), [&](auto dim) {
    if constexpr (dim > 0)
      return SmallInverseTileSweep<T, dim>(tile, scratch).Run();
    else
      return InverseTileSweep<T>(tile, scratch).Run();
  });
}
inline PairPosition SumTileF64(const InverseTile<double>& tile, double* scratch) {
  return SumTile(tile, scratch);
}
inline PairPosition SumTileF32(const InverseTile<float>& tile, float* scratch) {
  return SumTile(tile, scratch);
}
inline PairPosition SumPairsF64(const PackedBatch<double>& x, std::span<const WeightedPair> pairs,
                                SumsOfInverses<double>& sums, double* scratch) {
  return WithDim(x.dim(), [&](auto dim) { return SumListedPairs<double, dim>(x, pairs, sums, scratch); });
}
inline PairPosition SumPairsF32(const PackedBatch<float>& x, std::span<const WeightedPair> pairs,
                                SumsOfInverses<float>& sums, float* scratch) {
  return WithDim(x.dim(), [&](auto dim) { return SumListedPairs<float, dim>(x, pairs, sums, scratch); });
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(InvertGroup);
HWY_EXPORT(SumTileF64);
HWY_EXPORT(SumTileF32);
HWY_EXPORT(SumPairsF64);
HWY_EXPORT(SumPairsF32);

template <class T>
Index inverse_scratch(Index dim, Index forms) {
  const Index inverses_of_a_row = triangle(std::min<Index>(dim, 8)) * kLargestTile;
  return std::max(inverses_of_a_row, forms * triangle(dim) * group_size<T> + factor_scratch<T>(dim));
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

bool invert_group(const PackedBatch<double>& x, Index group, double* inverses, double* scratch) {
  return HWY_DYNAMIC_DISPATCH(InvertGroup)(x, group, inverses, scratch);
}

}  // namespace dsk::engine
#endif
