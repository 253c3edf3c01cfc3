#pragma once

#include <algorithm>
#include <type_traits>

#include "engine/cpu/packed.hpp"

namespace dsk::engine {

/// Where a pair could not be computed.
struct PairPosition {
  Index row = -1;
  Index column = -1;
  bool found() const { return row >= 0; }
  bool before(const PairPosition& other) const {
    return row < other.row || (row == other.row && column < other.column);
  }
};

/// A rectangle of pairs: rows of x against groups of y.
template <class T>
struct SteinTile {
  const PackedBatch<T>* x = nullptr;
  const PackedBatch<T>* y = nullptr;
  Index row = 0;
  Index rows = 0;
  Index group = 0;
  Index groups = 0;
  bool above_diagonal_only = false;  ///< leave out groups whose columns all lie below the row
  const T* row_offset = nullptr;     ///< result = log det - (row_offset[i] + column_offset[j])
  const T* column_offset = nullptr;  ///< padded to whole groups
  bool clamp = true;                 ///< negative results are 0

  /// The first group to compute in the tile's row r.
  Index FirstGroup(Index r) const { return above_diagonal_only ? std::max(group, (row + r) / group_size<T>) : group; }
};

/// Calls work(integral constant) with the dimensions that have a kernel of their own, and with 0 for all others.
template <class Work>
auto WithDim(Index dim, const Work& work) {
  switch (dim) {
    case 1:
      return work(std::integral_constant<int, 1>());
    case 2:
      return work(std::integral_constant<int, 2>());
    case 3:
      return work(std::integral_constant<int, 3>());
    case 4:
      return work(std::integral_constant<int, 4>());
    case 5:
      return work(std::integral_constant<int, 5>());
    case 6:
      return work(std::integral_constant<int, 6>());
    case 7:
      return work(std::integral_constant<int, 7>());
    case 8:
      return work(std::integral_constant<int, 8>());
    default:
      return work(std::integral_constant<int, 0>());
  }
}

/// Elements of scratch memory the tile functions need for matrices of this dimension.
template <class T>
Index factor_scratch(Index dim);

/// Writes the pair (row + r, group * group_size + c) to out[r * stride + c]. Returns the first pair, in row order, that
/// is not numerically positive definite.
template <class T>
PairPosition stein_tile(const SteinTile<T>& tile, T* out, Index stride, T* scratch);

/// Throws NumericalFailure for a matrix that is not positive definite in "single" or "double" precision.
[[noreturn]] void refuse_matrix(Index failed, const char* precision);

/// log det of every scaled matrix of the batch, padded to whole groups: what stein_tile yields for a pair of equal
/// ones.
/// Throws NumericalFailure for a matrix that is not positive definite in this precision beside the others.
template <class T>
AlignedArray<T> self_logdets(const PackedBatch<T>& batch);
/// The same into given memory.
template <class T>
void self_logdets(const PackedBatch<T>& batch, T* logdets, T* scratch);

}  // namespace dsk::engine
