#pragma once

#include <dsk/matrices.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/cpu/packed.hpp"
#include "engine/cpu/pair_sums.hpp"

namespace dsk::engine {

/// Rows and columns of a tile at most: who keeps a row of one needs no more room.
inline constexpr Index kLargestTile = 64;

/// Rows and columns of the square tiles that the pairs of `count` matrices are cut into: sixteen tiles along a side
/// where there are enough matrices, so that all threads find work, but none that leaves the cache or, with so many
/// floating-point operations for each pair, takes longer than some tenths of a second: between tiles a computation can
/// be interrupted. Depends on nothing else: the order of summation must not change with the number of threads.
template <class T>
Index tile_size(Index count, double operations_per_pair) {
  constexpr double operations_of_a_tile = 8e9;
  const auto affordable = static_cast<Index>(std::sqrt(operations_of_a_tile / operations_per_pair));
  const Index largest = std::clamp<Index>(affordable / group_size<T> * group_size<T>, group_size<T>, kLargestTile);
  const Index sixteenth = (count / 16 + group_size<T> - 1) / group_size<T> * group_size<T>;
  return std::clamp<Index>(sixteenth, group_size<T>, largest);
}

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

/// Writes the inverses of the matrices of a group, interleaved as they are; `scratch` as factor_scratch says. False if
/// one of them is not numerically positive definite.
bool invert_group(const PackedBatch<double>& x, Index group, double* inverses, double* scratch);

/// Some groups of a batch, each matrix to be averaged with the same other one.
struct InverseSumTile {
  const PackedBatch<double>* x = nullptr;
  const double* with = nullptr;     ///< packed like the rows of x
  const double* weights = nullptr;  ///< one per matrix, 0 up to whole groups
  Index group = 0;
  Index groups = 0;
  const double* squares = nullptr;  ///< per element of the packed triangle: what undoes the scale of its square,
  const double* traces = nullptr;   ///< and per coordinate of the diagonal
};

/// Weighted sums over the tile.
struct InverseSumParts {
  double squared_traces = 0;
  double squared_norms = 0;
  bool positive = true;
};

/// Doubles of scratch memory for the function below.
Index inverse_sum_scratch(Index dim);

/// Writes the weighted sum of the inverses, a packed triangle, to out.
InverseSumParts inverse_sum_tile(const InverseSumTile& tile, double* scratch, double* out);

/// A matrix whose nearest are wanted. A half is log det / 2.
struct NearestRow {
  Index dim = 0;
  const double* packed = nullptr;
  double half = 0;
  const double* leading = nullptr;  ///< halves of the leading blocks of 4, 8, ... rows, group_size apart
};

/// A group to compare it with, and to give up when none can be nearer than `limit`.
struct NearestGroup {
  const double* packed = nullptr;
  const double* halves = nullptr;
  const double* leading = nullptr;  ///< as above, for each matrix of the group
  const double* bounds = nullptr;   ///< divergences of some leading block
  double limit = 0;                 ///< with all that rounding may add to a leading block's divergence
};

/// What a group took.
struct NearestOutcome {
  double operations = 0;
  Index failed_lane = -1;  ///< not positive definite; -1: none
};

/// Writes the divergences of two groups, infinity for those that are above the limit.
void nearest_groups(const NearestRow& row, const NearestGroup (&groups)[2], double* divergences, double* scratch,
                    NearestOutcome (&outcomes)[2]);

/// What is done once per matrix, for the matrices of a group: `leading` gets the halves of the leading blocks of 4, 8,
/// ... rows, group_size values each; `inverse_traces` the traces of the inverses, all coordinates in units that make
/// the diagonal 1.
void prepare_group(const double* group, Index dim, double* leading, double* inverse_traces, double* scratch);

/// Doubles of cache-line aligned scratch that the functions above need.
Index nearest_scratch(Index dim);

/// The most pairs that are computed together: three groups, which hide each other's latency.
inline constexpr Index spectrum_pairs = 3 * group_size<double>;

/// What is made of the spectrum of a pair, where X = AA', Y = BB' with Cholesky factors A and B.
enum class SpectrumValue {
  squared_logs,    ///< the sum of log^2 of the eigenvalues of X^-1 Y
  largest_log,     ///< the largest |log| of them
  singular_values  ///< the sum of the singular values of A'B
};

/// One matrix X against some groups of matrices Y in the lanes. Lower triangles are packed row by row.
struct SpectrumGroups {
  SpectrumValue value = SpectrumValue::squared_logs;
  Index dim = 0;
  Index pairs = spectrum_pairs;         ///< at most; whole groups
  const double* left = nullptr;         ///< A for singular_values, A^-1 for the others
  const double* factors = nullptr;      ///< B of the Y, interleaved within each group
  const double* log_offsets = nullptr;  ///< per pair, added to the logarithm of each eigenvalue of X^-1 Y
};

/// Lane-vectors of length dim beside the matrix and its square: three tridiagonals, the vectors of the
/// bidiagonalisation, and two bidiagonals.
inline constexpr Index spectrum_vectors = 18;

/// Doubles of scratch memory that spectrum_groups needs.
Index spectrum_scratch(Index dim);

/// Writes the values of the pairs to out.
void spectrum_groups(const SpectrumGroups& groups, double* scratch, double* out);

/// Squared distances of rows row .. row + rows - 1 of x to the members of `groups` groups of y from `group` on.
template <class T>
struct SquaredDistanceTile {
  const InterleavedRows<T>* x = nullptr;
  const InterleavedRows<T>* y = nullptr;
  Index row = 0;
  Index rows = 0;
  Index group = 0;
  Index groups = 0;
};

template <class T>
void squared_distance_tile(const SquaredDistanceTile<T>& tile, T* out, Index stride);

/// From this width on, rows are compared as they are: to interleave them would take longer than a few pairs.
inline constexpr Index smallest_long_row = 1024;

/// Squared distances of `rows` rows of x to `columns` rows of y, all of `width` numbers.
template <class T>
struct LongRowsTile {
  const T* x = nullptr;
  Index rows = 0;
  const T* y = nullptr;
  Index columns = 0;
  Index width = 0;
  Index row_stride = 0;  ///< from one row to the next
};

template <class T>
void long_rows_tile(const LongRowsTile<T>& tile, T* out, Index stride);

/// Sums r of rows, each of `width` numbers, a multiple of a cache line: of all rows k with weights[r * stride + k].
struct WeightedRowsTile {
  const double* weights = nullptr;
  Index stride = 0;
  Index sums = 0;
  const double* rows = nullptr;  ///< one behind the other, aligned
  Index terms = 0;
  Index width = 0;
};

/// Adds the sums to `out`, which is laid out as the rows are.
void weighted_rows_tile(const WeightedRowsTile& tile, double* out);

/// Copies a tile (row-major, `stride` apart) into a matrix of `width` columns at (row, column) and, if `mirror`, its
/// transpose at (column, row).
void place_tile(const double* values, Index stride, Index rows, Index columns, double* matrix, Index width, Index row,
                Index column, bool mirror);

/// A tile of `rows` rows as doubles: itself, or a copy in `wide`.
inline const double* as_doubles(const double* values, Index, Index, std::vector<double>&) {
  return values;
}

inline const double* as_doubles(const float* values, Index stride, Index rows, std::vector<double>& wide) {
  wide.assign(values, values + stride * rows);
  return wide.data();
}

}  // namespace dsk::engine
