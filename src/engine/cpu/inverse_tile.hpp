#pragma once

#include "engine/cpu/inverse_sums.hpp"
#include "engine/cpu/stein_tile.hpp"

namespace dsk::engine {

/// Forms of weights one sweep can serve.
inline constexpr Index kMaxForms = 4;

/// Sums of inverses while they grow: for each form and group, the packed triangle's elements as group_size lanes.
template <class T>
class SumsOfInverses {
 public:
  SumsOfInverses(Index forms, Index groups, Index elements)
      : groups_(groups), elements_(elements), values_(forms * groups * elements * group_size<T>) {
    std::fill_n(values_.data(), values_.size(), T{0});
  }
  T* at(Index form, Index group) { return values_.data() + (form * groups_ + group) * elements_ * group_size<T>; }
  const T* at(Index form, Index group) const {
    return values_.data() + (form * groups_ + group) * elements_ * group_size<T>;
  }

 private:
  Index groups_;
  Index elements_;
  AlignedArray<T> values_;
};

/// A rectangle of pairs (row < column only) whose weighted inverses are added to the sums of both partners.
template <class T>
struct InverseTile {
  const PackedBatch<T>* x = nullptr;
  Index row = 0;
  Index rows = 0;
  Index group = 0;
  Index groups = 0;
  Index forms = 1;
  const Matrix* dense = nullptr;          ///< weights as a matrix, or
  const PairWeights* function = nullptr;  ///< weights as a function of the divergence
  const T* half_logdets = nullptr;        ///< for the function: padded to whole groups
  double theta = 1;
  SumsOfInverses<T>* sums = nullptr;
};

/// Elements of scratch memory for the functions below.
template <class T>
Index inverse_scratch(Index dim, Index forms);

/// Both return the first pair, in the order computed, that is not numerically positive definite.
template <class T>
PairPosition inverse_tile(const InverseTile<T>& tile, T* scratch);
template <class T>
PairPosition inverse_pairs(const PackedBatch<T>& x, std::span<const WeightedPair> pairs, SumsOfInverses<T>& sums,
                           T* scratch);

}  // namespace dsk::engine
