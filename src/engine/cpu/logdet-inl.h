// The log-determinants of one vector of pair means, and of a tile of pairs with hardly a lane idle.

#if defined(DSK_PAIRS_LOGDET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_LOGDET_INL_H_
#undef DSK_PAIRS_LOGDET_INL_H_
#else
#define DSK_PAIRS_LOGDET_INL_H_
#endif

#include "engine/cpu/factor-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct LogDet {
  hn::Vec<Lanes<T>> value;
  hn::Mask<Lanes<T>> positive;
};

template <class T, bool kCareful, class Means>
HWY_INLINE LogDet<T> FactoredLogDet(const Means& means, Index dim, T* scratch) {
  const Lanes<T> d;
  using Method = Factorisation<T, Means, kCareful>;
  LogDeterminant<Lanes<T>> determinant(d);
  Method(means, dim, Strips<T>{scratch}).Run(determinant);
  return {determinant.Value(d), hn::Gt(determinant.SmallestPivot(), hn::Set(d, Method::kTinyPivot))};
}

template <class T, class Means>
HWY_NOINLINE LogDet<T> CarefulLogDet(const Means& means, Index dim, T* scratch) {
  return FactoredLogDet<T, true>(means, dim, scratch);
}

/// Replaces lanes that are not known to be positive by what the careful way says of them.
template <class T, class Means>
HWY_INLINE void Review(LogDet<T>& logdet, const Means& means, Index dim, T* scratch) {
  const Lanes<T> d;
  if (HWY_LIKELY(hn::AllTrue(d, logdet.positive))) return;
  const auto careful = CarefulLogDet<T>(means, dim, scratch);
  logdet.value = hn::IfThenElse(logdet.positive, logdet.value, careful.value);
  logdet.positive = hn::Or(logdet.positive, careful.positive);
}

/// By Cholesky, for any dimension; `scratch` takes the factor.
template <class T, class Means>
HWY_NOINLINE LogDet<T> LogDetOfMeans(const Means& means, Index dim, T* scratch) {
  // Products of pivots soon leave the range of a float.
  constexpr bool kCareful = sizeof(T) == 4;
  auto result = FactoredLogDet<T, kCareful>(means, dim, scratch);
  Review(result, means, dim, scratch);
  return result;
}

/// From the value of SmallDeterminant, or by Cholesky in lanes where that gave up.
template <class T, class Means>
HWY_INLINE LogDet<T> LogOfDeterminant(hn::Vec<Lanes<T>> determinant, const Means& means, Index dim, T* scratch) {
  const Lanes<T> d;
  LogDet<T> result{hn::Log(d, determinant), hn::Gt(determinant, hn::Zero(d))};
  Review(result, means, dim, scratch);
  return result;
}

// What a row against whole groups would waste on the diagonal and on an incomplete last group is computed by rotating a
// group against itself and by swapping the sides.

/// The mean of each matrix of a group with the one `shift` places on, counted in a ring. Needs vectors of a whole
/// group.
template <class T>
struct GroupWithRotated {
  using Indices = decltype(hn::SetTableIndices(Lanes<T>(), static_cast<const hwy::MakeSigned<T>*>(nullptr)));
  const T* HWY_RESTRICT group;
  Indices source;

  HWY_INLINE GroupWithRotated(const T* first, Index shift) : group(first), source(Rotation(shift)) {}

  HWY_INLINE hn::Vec<Lanes<T>> operator()(Index e) const {
    const auto half = hn::Load(Lanes<T>(), group + e * group_size<T>);
    return hn::Add(half, hn::TableLookupLanes(half, source));
  }

 private:
  HWY_INLINE static Indices Rotation(Index shift) {
    hwy::MakeSigned<T> lanes[group_size<T>];
    for (Index l = 0; l < group_size<T>; ++l) lanes[l] = static_cast<hwy::MakeSigned<T>>((l + shift) % group_size<T>);
    return hn::SetTableIndices(Lanes<T>(), lanes);
  }
};

template <class T>
class FullLanesTile {
 public:
  FullLanesTile(const SteinTile<T>& tile, T* out, Index stride, T* scratch)
      : tile_(tile),
        out_(out),
        stride_(stride),
        scratch_(scratch),
        first_column_(tile.group * group_size<T>),
        columns_(std::min(tile.groups * group_size<T>, tile.y->size() - first_column_)) {}

  PairPosition Fill() {
    const Index last_columns = columns_ % group_size<T>;
    const Index row_groups = (tile_.rows + group_size<T> - 1) / group_size<T>;
    const bool swap = last_columns * row_groups < tile_.rows;
    const Index whole_groups = tile_.groups - (swap && last_columns > 0 ? 1 : 0);
    for (Index r = 0; r < tile_.rows; ++r)
      for (Index g = FirstGroup(r); g < tile_.group + whole_groups; ++g) RowAgainstGroup(tile_.row + r, g);
    if (swap)
      for (Index c = columns_ - last_columns; c < columns_; ++c)
        for (Index g = 0; g < row_groups; ++g)
          if (!tile_.above_diagonal_only || g < tile_.groups - 1) GroupAgainstColumn(g, first_column_ + c);
    if (tile_.above_diagonal_only)
      for (Index g = 0; g < tile_.groups; ++g) GroupAgainstItself(tile_.group + g);
    return failure_;
  }

 private:
  Index FirstGroup(Index r) const {
    return tile_.above_diagonal_only ? (tile_.row + r) / group_size<T> + 1 : tile_.group;
  }

  template <class Means, class RowOf, class ColumnOf>
  HWY_INLINE void Lay(const Means& means, Index count, const RowOf& row_of, const ColumnOf& column_of) {
    const Lanes<T> d;
    const auto logdet = LogDetOfMeans<T>(means, tile_.x->dim(), scratch_);
    HWY_ALIGN T values[group_size<T>];
    HWY_ALIGN T positive[group_size<T>];
    hn::Store(logdet.value, d, values);
    hn::Store(hn::IfThenElseZero(logdet.positive, hn::Set(d, T{1})), d, positive);
    for (Index l = 0; l < count; ++l) {
      const Index row = row_of(l), column = column_of(l);
      if (row >= tile_.x->size() || column >= tile_.y->size()) continue;
      const T value = values[l] - (tile_.row_offset[row] + tile_.column_offset[column]);
      out_[(row - tile_.row) * stride_ + column - first_column_] = tile_.clamp && value < 0 ? T{0} : value;
      const PairPosition position{row, column};
      if (positive[l] == 0 && (!failure_.found() || position.before(failure_))) failure_ = position;
    }
  }

  void RowAgainstGroup(Index row, Index g) {
    Lay(
        RowWithGroup<T>{tile_.x->row(row), tile_.y->group(g)}, group_size<T>, [&](Index) { return row; },
        [&](Index l) { return g * group_size<T> + l; });
  }

  void GroupAgainstColumn(Index g, Index column) {
    const Index first = tile_.row + g * group_size<T>;
    Lay(
        RowWithGroup<T>{tile_.y->row(column), tile_.x->group(first / group_size<T>)}, group_size<T>,
        [&](Index l) { return first + l; }, [&](Index) { return column; });
  }

  /// All pairs within a group; those with a shift of half a ring come twice, with the same bits.
  void GroupAgainstItself(Index g) {
    const Index first = g * group_size<T>;
    const Index count = std::min(group_size<T>, tile_.x->size() - first);
    Lay(
        GroupWithItself<T>{tile_.x->group(g)}, count, [&](Index l) { return first + l; },
        [&](Index l) { return first + l; });
    for (Index shift = 1; shift <= std::min(group_size<T> / 2, count - 1); ++shift) {
      const auto partner = [&](Index l) { return (l + shift) % group_size<T>; };
      Lay(
          GroupWithRotated<T>(tile_.x->group(g), shift), count,
          [&](Index l) { return first + std::min(l, partner(l)); },
          [&](Index l) { return first + std::max(l, partner(l)); });
    }
  }

  const SteinTile<T>& tile_;
  T* out_;
  Index stride_;
  T* scratch_;
  Index first_column_;
  Index columns_;
  PairPosition failure_;
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
