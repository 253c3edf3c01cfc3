// Weighted sums of inverses of pair means over a rectangle of pairs, or over a list of pairs.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/inverse_tile.cpp"
#include <hwy/foreach_target.h>

#include <cmath>

#include "engine/cpu/inverse-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Weights below it count as 0: denormal numbers, to which kernel values underflow, slow every product a hundredfold.
template <class T>
inline constexpr double kSmallestWeight = sizeof(T) == 8 ? 1e-290 : 1e-30;

template <class T, int kDim>
class InverseTileSweep {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;
  /// Sums of a row as vectors, summed over the lanes at its end, for small matrices; as numbers for others, where
  /// vectors would leave the cache.
  static constexpr bool kSumLanesAtOnce = kDim == 0;

  HWY_INLINE InverseTileSweep(const InverseTile<T>& tile, T* scratch)
      : tile_(tile),
        elements_(tile.x->elements()),
        row_sums_(scratch),
        factor_(scratch + tile.forms * elements_ * group_size<T>) {}

  HWY_INLINE PairPosition Run() {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    for (Index row = tile_.row; row < tile_.row + tile_.rows; ++row) {
      std::fill_n(row_sums_, tile_.forms * elements_ * (kSumLanesAtOnce ? 1 : lanes), T{0});
      for (Index g = std::max(tile_.group, row / group_size<T>); g < tile_.group + tile_.groups; ++g)
        for (Index part = 0; part < group_size<T>; part += lanes) Strip(row, g, part);
      AddRowSums(row);
    }
    return failure_;
  }

 private:
  /// Lanes of the strip that are pairs of their own: columns right of the row and inside the batch.
  HWY_INLINE void Strip(Index row, Index g, Index part) {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index column = g * group_size<T> + part;
    const Index begin = std::max<Index>(0, row + 1 - column), end = std::min(lanes, tile_.x->size() - column);
    if (begin >= end || (tile_.dense != nullptr && !TakeWeights(row, column, begin, end))) return;
    const RowWithGroup<T> means{tile_.x->row(row), tile_.x->group(g) + part};
    WithInverse<T, kDim>(means, tile_.x->dim(), factor_, [&](V logdet, auto positive, const auto& inverse) HWY_ATTR {
      if (HWY_UNLIKELY(!hn::AllTrue(d, positive))) NoteFailure(positive, row, column, begin, end);
      if (tile_.dense == nullptr && !AskWeights(logdet, row, column, begin, end)) return;
      T* HWY_RESTRICT group_sums = tile_.sums->at(0, g) + part;
      const Index form_stride = tile_.sums->at(1, 0) - tile_.sums->at(0, 0);
      const auto add = [&](Index e, V value) HWY_ATTR {
        for (Index m = 0; m < tile_.forms; ++m) {
          const V weighted = hn::Mul(hn::Load(d, weights_ + m * lanes), value);
          T* HWY_RESTRICT group_sum = group_sums + m * form_stride + e * group_size<T>;
          if constexpr (kSumLanesAtOnce) {
            row_sums_[m * elements_ + e] += hn::GetLane(hn::SumOfLanes(d, weighted));
          } else {
            T* HWY_RESTRICT row_sum = row_sums_ + (m * elements_ + e) * lanes;
            hn::Store(hn::Add(hn::Load(d, row_sum), weighted), d, row_sum);
          }
          hn::Store(hn::Add(hn::Load(d, group_sum), weighted), d, group_sum);
        }
      };
      inverse().ForEachElement(add);
    });
  }

  /// Fills weights_ from the matrix of weights, 0 in lanes that are no pairs. False if all of them are 0.
  HWY_INLINE bool TakeWeights(Index row, Index column, Index begin, Index end) {
    std::fill_n(weights_, hn::Lanes(D()), T{0});
    bool any = false;
    const double* source = tile_.dense->data() + row * tile_.dense->cols() + column;
    for (Index l = begin; l < end; ++l) {
      if (std::abs(source[l]) < kSmallestWeight<T>) continue;
      weights_[l] = static_cast<T>(source[l]);
      any = true;
    }
    return any;
  }

  /// The same for every form of the weight function.
  HWY_INLINE bool AskWeights(V logdet, Index row, Index column, Index begin, Index end) {
    const Index lanes = static_cast<Index>(hn::Lanes(D()));
    std::fill_n(weights_, tile_.forms * lanes, T{0});
    bool any = false;
    const D d;
    const V offset = hn::Add(hn::Set(d, tile_.half_logdets[row]), hn::Load(d, tile_.half_logdets + column));
    const V divergence = hn::Max(hn::Sub(logdet, offset), hn::Zero(d));
    HWY_ALIGN T lane_values[2][group_size<T>];
    hn::Store(divergence, d, lane_values[0]);
    hn::Store(hn::Exp(d, hn::Mul(hn::Set(d, static_cast<T>(-tile_.theta)), divergence)), d, lane_values[1]);
    double wide[2][group_size<T>];
    for (Index k = 0; k < 2; ++k) std::copy_n(lane_values[k], lanes, wide[k]);
    const std::size_t count = static_cast<std::size_t>(end - begin);
    double asked[kMaxForms * group_size<T>] = {};
    (*tile_.function)({row, column + begin, {wide[0] + begin, count}, {wide[1] + begin, count}},
                      {asked, static_cast<std::size_t>(tile_.forms) * count});
    for (Index m = 0; m < tile_.forms; ++m)
      for (Index l = begin; l < end; ++l) {
        const double weight = asked[m * static_cast<Index>(count) + l - begin];
        if (std::abs(weight) < kSmallestWeight<T>) continue;
        weights_[m * lanes + l] = static_cast<T>(weight);
        any = true;
      }
    return any;
  }

  template <class M>
  void NoteFailure(M positive, Index row, Index column, Index begin, Index end) {
    const D d;
    HWY_ALIGN T flags[group_size<T>];
    hn::Store(hn::IfThenElseZero(positive, hn::Set(d, T{1})), d, flags);
    for (Index l = begin; l < end && !failure_.found(); ++l)
      if (flags[l] == 0) failure_ = {row, column + l};
  }

  HWY_INLINE void AddRowSums(Index row) {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index m = 0; m < tile_.forms; ++m) {
      T* HWY_RESTRICT sums = tile_.sums->at(m, row / group_size<T>) + row % group_size<T>;
      const T* HWY_RESTRICT row_sums = row_sums_ + m * elements_ * (kSumLanesAtOnce ? 1 : lanes);
      for (Index e = 0; e < elements_; ++e)
        sums[e * group_size<T>] +=
            kSumLanesAtOnce ? row_sums[e] : hn::GetLane(hn::SumOfLanes(d, hn::Load(d, row_sums + e * lanes)));
    }
  }

  const InverseTile<T>& tile_;
  Index elements_;
  T* HWY_RESTRICT row_sums_;
  T* HWY_RESTRICT factor_;
  HWY_ALIGN T weights_[kMaxForms * group_size<T>];
  PairPosition failure_;
};

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

// Plain names: what is exported for dispatch must not be a template.
inline PairPosition SumTileF64(const InverseTile<double>& tile, double* scratch) {
  return WithDim(tile.x->dim(), [&](auto dim) { return InverseTileSweep<double, dim>(tile, scratch).Run(); });
}
inline PairPosition SumTileF32(const InverseTile<float>& tile, float* scratch) {
  return WithDim(tile.x->dim(), [&](auto dim) { return InverseTileSweep<float, dim>(tile, scratch).Run(); });
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
