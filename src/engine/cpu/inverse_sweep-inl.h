// Weighted sums of inverses over a tile of pairs: small matrices row by row of the tile, others vector by vector.

#if defined(DSK_PAIRS_INVERSE_SWEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_INVERSE_SWEEP_INL_H_
#undef DSK_PAIRS_INVERSE_SWEEP_INL_H_
#else
#define DSK_PAIRS_INVERSE_SWEEP_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/cpu/inverse-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Weights below it count as 0: denormal numbers, to which kernel values underflow, slow every product a hundredfold.
template <class T>
inline constexpr double kSmallestWeight = sizeof(T) == 8 ? 1e-290 : 1e-30;

/// Weights of some pairs of a row of the tile.
template <class T>
class TileWeights {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  HWY_INLINE explicit TileWeights(const InverseTile<T>& tile) : tile_(tile) {}

  /// Weights of a form, one per column.
  HWY_INLINE const T* Of(Index form) const { return values_ + form * kLargestTile; }

  /// From the matrix of weights, for the row's pairs with columns begin .. end - 1, both counted from `column`; 0 up to
  /// `width`, whole vectors. False if all of them are 0.
  HWY_INLINE bool Take(Index row, Index column, Index begin, Index end, Index width) {
    std::fill_n(values_, width, T{0});
    bool any = false;
    const double* source = tile_.dense->data() + row * tile_.dense->cols() + column;
    for (Index l = begin; l < end; ++l) {
      if (std::abs(source[l]) < kSmallestWeight<T>) continue;
      values_[l] = static_cast<T>(source[l]);
      any = true;
    }
    return any;
  }

  /// The same for every form of the weight function.
  HWY_INLINE bool Ask(const T* logdets, Index row, Index column, Index begin, Index end, Index width) {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    HWY_ALIGN T lane_values[2][kLargestTile];
    const V own = hn::Set(d, tile_.half_logdets[row]), factor = hn::Set(d, static_cast<T>(-tile_.theta));
    for (Index l = 0; l < width; l += lanes) {
      const V offset = hn::Add(own, hn::Load(d, tile_.half_logdets + column + l));
      const V divergence = hn::Max(hn::Sub(hn::Load(d, logdets + l), offset), hn::Zero(d));
      hn::Store(divergence, d, lane_values[0] + l);
      hn::Store(hn::Exp(d, hn::Mul(factor, divergence)), d, lane_values[1] + l);
    }
    const Index count = end - begin;
    double wide[2][kLargestTile], asked[kMaxForms * kLargestTile];
    for (Index k = 0; k < 2; ++k) std::copy_n(lane_values[k] + begin, count, wide[k]);
    const auto size = static_cast<std::size_t>(count);
    const std::span<double> answer(asked, static_cast<std::size_t>(tile_.forms) * size);
    std::fill(answer.begin(), answer.end(), 0.0);
    (*tile_.function)({row, column + begin, {wide[0], size}, {wide[1], size}}, answer);
    bool any = false;
    for (Index m = 0; m < tile_.forms; ++m) {
      T* HWY_RESTRICT values = values_ + m * kLargestTile;
      std::fill_n(values, width, T{0});
      for (Index l = 0; l < count; ++l) {
        const double weight = asked[m * count + l];
        const bool counts = !(std::abs(weight) < kSmallestWeight<T>);
        values[begin + l] = counts ? static_cast<T>(weight) : T{0};
        any |= counts;
      }
    }
    return any;
  }

 private:
  const InverseTile<T>& tile_;
  HWY_ALIGN T values_[kMaxForms * kLargestTile];
};

/// Notes the first pair of the row, with columns begin .. end - 1 counted from `column`, that is not positive.
template <class T, class M>
HWY_NOINLINE void NoteFailure(M positive, Index row, Index column, Index begin, Index end, PairPosition& failure) {
  const Lanes<T> d;
  HWY_ALIGN T flags[group_size<T>];
  hn::Store(hn::IfThenElseZero(positive, hn::Set(d, T{1})), d, flags);
  for (Index l = begin; l < end && !failure.found(); ++l)
    if (flags[l] == 0) failure = {row, column + l};
}

/// Matrices of any dimension, one vector of pairs after the other.
template <class T>
class InverseTileSweep {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  HWY_INLINE InverseTileSweep(const InverseTile<T>& tile, T* scratch)
      : tile_(tile),
        weights_(tile),
        elements_(tile.x->elements()),
        row_sums_(scratch),
        factor_(scratch + tile.forms * elements_ * group_size<T>) {}

  HWY_INLINE PairPosition Run() {
    // One form of a matrix whose sums stay in the cache, as vectors: the usual case by far.
    constexpr Index kCache = 20 << 10;
    const bool few = tile_.forms == 1 && elements_ * static_cast<Index>(hn::Lanes(D()) * sizeof(T)) <= kCache;
    few ? RunRows<true>() : RunRows<false>();
    return failure_;
  }

 private:
  template <bool kFew>
  HWY_INLINE void RunRows() {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d)), stride = kFew ? lanes : 1;
    for (Index row = tile_.row; row < tile_.row + tile_.rows; ++row) {
      std::fill_n(row_sums_, tile_.forms * elements_ * stride, T{0});
      for (Index g = std::max(tile_.group, row / group_size<T>); g < tile_.group + tile_.groups; ++g)
        for (Index part = 0; part < group_size<T>; part += lanes) Strip<kFew>(row, g, part);
      for (Index m = 0; m < tile_.forms; ++m) {
        T* HWY_RESTRICT sums = tile_.sums->at(m, row / group_size<T>) + row % group_size<T>;
        const T* HWY_RESTRICT row_sums = row_sums_ + m * elements_ * stride;
        for (Index e = 0; e < elements_; ++e)
          sums[e * group_size<T>] +=
              kFew ? hn::GetLane(hn::SumOfLanes(d, hn::Load(d, row_sums + e * stride))) : row_sums[e];
      }
    }
  }

  /// Lanes of the strip that are pairs of their own: columns right of the row and inside the batch.
  template <bool kFew>
  HWY_INLINE void Strip(Index row, Index g, Index part) {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index column = g * group_size<T> + part;
    const Index begin = std::max<Index>(0, row + 1 - column), end = std::min(lanes, tile_.x->size() - column);
    if (begin >= end || (tile_.dense != nullptr && !weights_.Take(row, column, begin, end, lanes))) return;
    const RowWithGroup<T> means{tile_.x->row(row), tile_.x->group(g) + part};
    WithInverse<T, 0>(means, tile_.x->dim(), factor_, [&](V logdet, auto positive, const auto& inverse) HWY_ATTR {
      if (HWY_UNLIKELY(!hn::AllTrue(d, positive))) NoteFailure<T>(positive, row, column, begin, end, failure_);
      if (tile_.dense == nullptr) {
        HWY_ALIGN T logdets[group_size<T>];
        hn::Store(logdet, d, logdets);
        if (!weights_.Ask(logdets, row, column, begin, end, lanes)) return;
      }
      T* HWY_RESTRICT group_sums = tile_.sums->at(0, g) + part;
      const Index form_stride = tile_.sums->at(1, 0) - tile_.sums->at(0, 0);
      const V first_weight = hn::Load(d, weights_.Of(0));
      const auto add = [&](Index e, V value) HWY_ATTR {
        for (Index m = 0; m < (kFew ? 1 : tile_.forms); ++m) {
          const V weight = kFew ? first_weight : hn::Load(d, weights_.Of(m));
          T* HWY_RESTRICT group_sum = group_sums + m * form_stride + e * group_size<T>;
          if constexpr (kFew) {
            T* HWY_RESTRICT row_sum = row_sums_ + e * lanes;
            hn::Store(hn::MulAdd(weight, value, hn::Load(d, row_sum)), d, row_sum);
          } else {
            row_sums_[m * elements_ + e] += hn::GetLane(hn::SumOfLanes(d, hn::Mul(weight, value)));
          }
          hn::Store(hn::MulAdd(weight, value, hn::Load(d, group_sum)), d, group_sum);
        }
      };
      inverse().ForEachElement(add);
    });
  }

  const InverseTile<T>& tile_;
  TileWeights<T> weights_;
  Index elements_;
  T* HWY_RESTRICT row_sums_;
  T* HWY_RESTRICT factor_;
  PairPosition failure_;
};

/// Small matrices: all inverses of a row of the tile first, then the weights of all its pairs, and the sums at the end.
/// The weight function is called once per row, and inverses that do not wait for it follow each other closely.
template <class T, int kDim>
class SmallInverseTileSweep {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  HWY_INLINE SmallInverseTileSweep(const InverseTile<T>& tile, T* scratch)
      : tile_(tile), weights_(tile), inverses_(scratch) {}

  HWY_INLINE PairPosition Run() {
    for (Index row = tile_.row; row < tile_.row + tile_.rows; ++row) Row(row);
    return failure_;
  }

 private:
  static constexpr int kElements = Packed(kDim, 0);
  /// Elements whose sums stay in registers.
  static constexpr int kInRegisters = HWY_TARGET <= HWY_AVX3 ? 21 : 10;

  HWY_INLINE void Row(Index row) {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index column = std::max(tile_.group * group_size<T>, (row + 1) / lanes * lanes);
    const Index end = std::min((tile_.group + tile_.groups) * group_size<T>, tile_.x->size()) - column;
    if (end <= 0) return;
    const Index begin = std::max<Index>(0, row + 1 - column), width = (end + lanes - 1) / lanes * lanes;
    if (begin >= end || (tile_.dense != nullptr && !weights_.Take(row, column, begin, end, width))) return;
    for (Index l = 0; l < width; l += lanes) {
      if (tile_.dense != nullptr && hn::AllTrue(d, hn::Eq(hn::Load(d, weights_.Of(0) + l), hn::Zero(d)))) continue;
      const SmallInverse<T, kDim> inverse(RowWithGroup<T>{tile_.x->row(row), At(tile_.x->group(0), column + l)});
      const auto positive = hn::Gt(inverse.SmallestPivot(), hn::Set(d, std::numeric_limits<T>::min()));
      if (HWY_UNLIKELY(!hn::AllTrue(d, positive)))
        NoteFailure<T>(positive, row, column + l, std::max<Index>(0, begin - l), std::min(lanes, end - l), failure_);
      if (tile_.dense == nullptr) hn::Store(inverse.LogDet(), d, logdets_ + l);
      T* HWY_RESTRICT to = inverses_ + l * kElements;
      inverse.ForEachElement([&](Index e, V value) HWY_ATTR { hn::Store(value, d, to + e * lanes); });
    }
    if (tile_.dense == nullptr && !weights_.Ask(logdets_, row, column, begin, end, width)) return;
    for (Index m = 0; m < tile_.forms; ++m)
      AddElements<0>(weights_.Of(m), tile_.sums->at(m, 0), column, width,
                     tile_.sums->at(m, row / group_size<T>) + row % group_size<T>);
  }

  /// Where the elements of the matrix `column` begin in interleaved groups.
  template <class U>
  HWY_INLINE static U* At(U* groups, Index column) {
    return groups + column / group_size<T> * kElements * group_size<T> + column % group_size<T>;
  }

  /// Adds elements kFirst, ... of the weighted inverses to the sums of the columns and to those of the row.
  template <int kFirst>
  HWY_INLINE void AddElements(const T* HWY_RESTRICT weights, T* sums, Index column, Index width, T* row_sums) const {
    constexpr int kCount = std::min(kInRegisters, kElements - kFirst);
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    V sum[kCount];
#pragma GCC unroll 21
    for (int e = 0; e < kCount; ++e) sum[e] = hn::Zero(d);
    for (Index l = 0; l < width; l += lanes) {
      const V weight = hn::Load(d, weights + l);
      if (HWY_UNLIKELY(hn::AllTrue(d, hn::Eq(weight, hn::Zero(d))))) continue;
      const T* HWY_RESTRICT from = inverses_ + l * kElements + kFirst * lanes;
      T* HWY_RESTRICT to = At(sums, column + l) + kFirst * group_size<T>;
#pragma GCC unroll 21
      for (int e = 0; e < kCount; ++e) {
        const V inverse = hn::Load(d, from + e * lanes);
        sum[e] = hn::MulAdd(weight, inverse, sum[e]);
        hn::Store(hn::MulAdd(weight, inverse, hn::Load(d, to + e * group_size<T>)), d, to + e * group_size<T>);
      }
    }
#pragma GCC unroll 21
    for (int e = 0; e < kCount; ++e) row_sums[(kFirst + e) * group_size<T>] += hn::GetLane(hn::SumOfLanes(d, sum[e]));
    if constexpr (kFirst + kCount < kElements) AddElements<kFirst + kCount>(weights, sums, column, width, row_sums);
  }

  const InverseTile<T>& tile_;
  TileWeights<T> weights_;
  T* HWY_RESTRICT inverses_;
  HWY_ALIGN T logdets_[kLargestTile];
  PairPosition failure_;
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
