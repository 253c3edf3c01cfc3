// The kernels as the host sees them. All pointers are to device memory; every launch goes to the default stream.
#pragma once

#include <algorithm>
#include <cstddef>

namespace dsk::engine::cuda {

// A grid has no more than 65535 blocks of 32 rows.
constexpr long most_rows = 65535L * 32;

/// How many rows of a matrix over pairs are computed at once where so many bytes are free: half of them are for other
/// things.
constexpr long rows_for(std::size_t free_bytes, long rows, long columns) {
  const std::size_t row = static_cast<std::size_t>(columns) * sizeof(double);
  return std::clamp(static_cast<long>(free_bytes / 2 / row), 1L, std::min(rows, most_rows));
}

/// A pair as one number, and back: of a million matrices there are more than 32 bits can count.
struct PairNumber {
  long row = 0;
  long column = 0;
};
constexpr unsigned long long number_of_pair(long row, long column, long columns) {
  return static_cast<unsigned long long>(row) * static_cast<unsigned long long>(columns) +
         static_cast<unsigned long long>(column);
}
constexpr PairNumber pair_of_number(unsigned long long number, long columns) {
  const auto across = static_cast<unsigned long long>(columns);
  return {static_cast<long>(number / across), static_cast<long>(number % across)};
}

/// Up to this size a pair's triangle stays in the registers of one thread.
constexpr int largest_small = 16;
/// The same for inverses, which takes more registers.
constexpr int largest_small_inverse = 12;
/// Up to this size a pair's triangle stays in the registers of some lanes of a warp, or of two warps.
constexpr int largest_gridded = 104;
/// Larger matrices are kept in tiles of this many rows and columns.
constexpr int tile_side = 8;

constexpr int tile_rows(int dim) {
  return (dim + tile_side - 1) / tile_side;
}
constexpr long tiles_of(int dim) {
  return static_cast<long>(tile_rows(dim)) * (tile_rows(dim) + 1) / 2;
}
constexpr long elements_of(int dim) {
  return static_cast<long>(dim) * (dim + 1) / 2;
}
/// Numbers of a matrix in tiles.
constexpr long tiled_numbers(int dim) {
  return tiles_of(dim) * tile_side * tile_side;
}

/// `count` lower triangles of halves of scaled matrices, element e of matrix i at values[e * count + i].
template <class T>
struct Interleaved {
  const T* values = nullptr;
  long count = 0;
};

/// Where a lane is in a grid of lanes. Its number alternates between bits of the column and of the row, as long as
/// there are both: shared memory delivers a number to two lanes at once if only the lowest or only the second bit
/// differs.
struct GridLane {
  int row = 0;
  int column = 0;
};
constexpr GridLane lane_in_grid(int lane, int column_lanes) {
  GridLane place;
  int bit = 1;
  for (; bit < column_lanes; bit *= 2, lane /= 4) {
    place.column += lane % 2 * bit;
    place.row += lane / 2 % 2 * bit;
  }
  place.row += lane * bit;
  return place;
}
constexpr int number_of_lane(const GridLane& place, int column_lanes) {
  int lane = 0, digit = 1, bit = 1;
  for (; bit < column_lanes; bit *= 2, digit *= 4) lane += (place.column / bit % 2 + 2 * (place.row / bit % 2)) * digit;
  return lane + place.row / bit * digit;
}

/// How the lanes that share a pair hold a matrix: as grids of row_lanes x column_lanes neighbouring entries, those of
/// the lower triangle one after the other, row by row. A lane's numbers of two grids, one behind the other, are
/// neighbours.
struct GridLayout {
  int row_lanes = 1;
  int column_lanes = 1;
  int warps = 1;     ///< that share a matrix
  int together = 1;  ///< matrices that they read at a time
  long numbers = 0;  ///< of a matrix, padded to an even number of grids

  constexpr long padded(long count) const { return (count + together - 1) / together * together; }
};
GridLayout grid_layout(int dim);
/// The same halves of scaled matrices in such grids, padded with halves of the unit matrix to `padded` matrices: for
/// the first `together` matrices two grids of each, then their next two, and so on.
template <class T>
struct Gridded {
  const T* values = nullptr;
  long count = 0;
};

/// The same as 8 x 8 tiles of the lower triangle, tile (R, C) at R (R + 1)/2 + C, each row-major and whole, padded with
/// halves of the unit matrix.
struct Tiled {
  const double* values = nullptr;
  long count = 0;
};

/// Brings `count` row-major matrices, scaled by one factor per coordinate, into one of these forms.
template <class T>
void interleave(const double* matrices, const double* factors, int dim, long count, T* out);
template <class T>
void grid(const double* matrices, const double* factors, int dim, long count, T* out);
void tile(const double* matrices, const double* factors, int dim, long count, double* out);
/// Sums of inverses of scaled matrices back into row-major matrices in the units of the data; `parts` sums of each are
/// added up, those of matrix i at sums[(part * count + i) * (elements, or numbers of the form)].
template <class T>
void gather_elements(const T* sums, const double* factors, int dim, long count, int parts, double* out);
template <class T>
void gather_grid(const T* sums, const double* factors, int dim, long count, int parts, double* out);
void gather_tiles(const double* sums, const double* factors, int dim, long count, int parts, double* out);

/// U diag(lam) U' of `count` matrices whose columns are eigenvectors.
void recompose(const double* vectors, const double* values, int dim, long count, double* out);
/// The largest entry at each place of the diagonal.
void largest_diagonals(const double* matrices, int dim, long count, double* out);
/// u_z' A u_z for all eigenvectors of each of `count` matrices A, which belong to the vectors from the `first` on.
void quadratic_forms(const double* sums, const double* vectors, long first, int dim, long count, double* out);

/// Rows `first_row` .. + `rows` of the matrix of divergences, with row offsets taken from the same position.
struct DivergenceTask {
  int dim = 1;
  long first_row = 0;
  long rows = 0;
  bool symmetric = false;  ///< all rows against themselves: half of the pairs are computed
  bool clamp = true;       ///< negative results are 0
  const double* row_offset = nullptr;
  const double* column_offset = nullptr;  ///< result = log det - (row_offset[i] + column_offset[j])
  double* out = nullptr;                  ///< rows x (number of columns)
  unsigned long long* failure = nullptr;  ///< number_of_pair of the first that cannot be computed
};

template <class T>
void small_divergences(const Interleaved<T>& x, const Interleaved<T>& y, const DivergenceTask& task);
template <class T>
void grid_divergences(const Gridded<T>& x, const Gridded<T>& y, const DivergenceTask& task);
void tile_divergences(const Tiled& x, const Tiled& y, const DivergenceTask& task, double* slab);
/// Log-determinants of the matrices themselves, with the bits of pairs of equal ones.
template <class T>
void small_logdets(const Interleaved<T>& x, int dim, double* out, unsigned long long* failure);
template <class T>
void grid_logdets(const Gridded<T>& x, int dim, double* out, unsigned long long* failure);
void tile_logdets(const Tiled& x, int dim, double* out, unsigned long long* failure, double* slab);

/// Sums over j of weights[i][j] M_ij^-1 for rows `first_row` .. + `rows`; j = i and zero weights are left out.
struct InverseTask {
  int dim = 1;
  long first_row = 0;
  long rows = 0;
  int parts = 1;                          ///< how many sums, of different columns, each row is cut into
  const double* weights = nullptr;        ///< rows x count
  unsigned long long* failure = nullptr;  ///< as above
};
template <class T>
void small_inverse_sums(const Interleaved<T>& x, const InverseTask& task, T* sums);
template <class T>
void grid_inverse_sums(const Gridded<T>& x, const InverseTask& task, T* sums);
void tile_inverse_sums(const Tiled& x, const InverseTask& task, double* sums, double* slab);

/// `count` rows of `width` numbers, one behind the other.
struct Rows {
  const double* values = nullptr;
  long count = 0;
  long width = 0;
};
/// Squared distances of rows `first_row` .. + `rows` of x from those of y, rows x y.count, to the bit the same in any
/// strip; `symmetric`: all rows of x with themselves.
void squared_distances(const Rows& x, const Rows& y, long first_row, long rows, bool symmetric, double* out);
/// Sums over j of weights[i][j] x_j for `rows` rows of weights, rows x x.width.
void sum_weighted_rows(const double* weights, long rows, const Rows& x, double* out);

/// Warps that work on one pair of matrices in tiles.
int team_warps(int dim);
/// Numbers of scratch memory that the tile kernels need for matrices too large for shared memory, else 0.
long slab_numbers(int dim);

/// Sums over the row of each matrix, for one theta: sums over j != i of K_ij = exp(-theta S_ij), within
/// i's class and outside of it, each as exp(-theta smallest) times a sum; and of the squares.
struct RowSums {
  double smallest[2];  ///< divergence, outside and within the class; infinite where there is none
  double sum[2];
  double squares;
};
/// `divergence` has rows x count entries; out[t * rows + row].
void sum_rows(const double* divergence, long first_row, long rows, long count, const int* classes, const double* thetas,
              int theta_count, RowSums* out);

/// How weights c_ij come from divergences.
struct Weighting {
  /// sums: c = K (a_i within a class, `other` outside, + b_i + b_j) + `square` K^2.
  /// logarithms: c = `factor` (exp(a_i - theta S) + exp(a_j - theta S)) within a class, the negative with b outside.
  enum class Kind { sums, logarithms } kind = Kind::sums;
  double theta = 1;
  double other = 0;
  double square = 0;
  double factor = 1;
  const double* a = nullptr;
  const double* b = nullptr;
};
/// The sums over a row of its weights, and of weight times divergence.
struct WeightSums {
  double of_weights;
  double of_divergences;
};
/// Replaces divergences by weights, 0 on the diagonal, and sums the rows.
void weigh_rows(double* divergence, long first_row, long rows, long count, const int* classes, const Weighting& how,
                WeightSums* row_sums);

}  // namespace dsk::engine::cuda
