// One pair by a grid of lanes of a warp, or of two. Lane (u, v) of a grid of kRowLanes x kColumnLanes holds, in
// registers, the entries of the lower triangle whose row is u and whose column is v, modulo the grid's sides. Two
// columns of the matrix at a time pass through shared memory.
#pragma once

#include <utility>

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/numerics.cuh"

namespace dsk::engine::cuda {

/// Matrices of up to kRowLanes * kBlocks rows, of which a lane has kBlocks.
template <int kRowLanes, int kColumnLanes, int kBlocks>
struct LaneGrid {
  static_assert(kRowLanes % kColumnLanes == 0 && 64 % (kRowLanes * kColumnLanes) == 0);
  static constexpr int row_lanes = kRowLanes;
  static constexpr int column_lanes = kColumnLanes;
  static constexpr int ratio = kRowLanes / kColumnLanes;
  static constexpr int lanes = kRowLanes * kColumnLanes;
  static constexpr int team = lanes > 32 ? lanes : 32;  ///< lanes of the warps that go in step
  static constexpr int pairs = team / lanes;            ///< that a team works on at a time
  static constexpr int blocks = kBlocks;    ///< rows of a lane
  static constexpr int column_blocks = ratio * kBlocks;
  static constexpr int dim = kRowLanes * kBlocks;
  static constexpr int entries = ratio * triangle_before(kBlocks);  ///< of a lane
  /// Where the entry in row block R and column block C of a lane is.
  static __host__ __device__ constexpr int at(int row, int column) { return ratio * triangle_before(row) + column; }
  /// From one pair's column in shared memory to the next, with room for two numbers behind it: an odd number of rows of
  /// lanes, so that the pairs of a warp read from different banks.
  static constexpr int stride = kRowLanes * ((kBlocks + 1) | 1);
  /// Of a column of all pairs of a team; the next one starts half of the banks away.
  static constexpr int column_numbers = (pairs * stride + 7) / 16 * 16 + 8;
  static constexpr int shared_numbers = 4 * column_numbers;  ///< two times two columns, which take turns
  static_assert(kColumnLanes % 2 == 0);
};

/// Calls work(LaneGrid) with the grid for this size, which is largest_small_inverse + 1 to largest_gridded.
template <class Work>
void with_grid(int dim, const Work& work) {
  if (dim <= 14) return work(LaneGrid<2, 2, 7>());
  if (dim <= 16) return work(LaneGrid<2, 2, 8>());
  if (dim <= 18) return work(LaneGrid<2, 2, 9>());
  if (dim <= 20) return work(LaneGrid<2, 2, 10>());
  if (dim <= 22) return work(LaneGrid<2, 2, 11>());
  if (dim <= 24) return work(LaneGrid<2, 2, 12>());
  if (dim <= 28) return work(LaneGrid<4, 2, 7>());
  if (dim <= 32) return work(LaneGrid<4, 2, 8>());
  if (dim <= 36) return work(LaneGrid<4, 4, 9>());
  if (dim <= 40) return work(LaneGrid<4, 4, 10>());
  if (dim <= 44) return work(LaneGrid<4, 4, 11>());
  if (dim <= 48) return work(LaneGrid<8, 4, 6>());
  if (dim <= 56) return work(LaneGrid<8, 4, 7>());
  if (dim <= 64) return work(LaneGrid<8, 4, 8>());
  if (dim <= 72) return work(LaneGrid<8, 8, 9>());
  if (dim <= 80) return work(LaneGrid<8, 8, 10>());
  if (dim <= 88) return work(LaneGrid<8, 8, 11>());
  if (dim <= 96) return work(LaneGrid<8, 8, 12>());
  work(LaneGrid<8, 8, 13>());
}

/// Blocks of 128 threads that should find room on a multiprocessor, so that registers hold the entries, a row of them
/// and some forty more.
template <class T, class Grid>
constexpr int grid_blocks() {
  constexpr int numbers = (Grid::entries + Grid::blocks) * static_cast<int>(sizeof(T) / 4) + 40;
  return numbers <= 64 ? 8 : numbers <= 96 ? 5 : numbers <= 124 ? 4 : numbers <= 164 ? 3 : 2;
}

template <class T, class Grid>
class GriddedMatrix {
 public:
  /// `columns` is the shared memory of the team of this number in the block, of Grid::shared_numbers.
  __device__ GriddedMatrix(int team, int lane, T* columns)
      : team_(team),
        lane_(lane % Grid::lanes),
        u_(lane_in_grid(lane_, Grid::column_lanes).row),
        v_(lane_in_grid(lane_, Grid::column_lanes).column),
        columns_(columns + lane / Grid::lanes * Grid::stride) {}

  /// Becomes the sum of matrices i of x and j of y.
  __device__ void load(const T* x, long i, const T* y, long j) {
    const T* const one = lane_of(x, i);
    const T* const other = lane_of(y, j);
#pragma unroll
    for (int e = 0; e < Grid::entries; ++e) a_[e] = one[e * Grid::team] + other[e * Grid::team];
  }

  __device__ T entry(int e) const {
    return a_[e];
  }

  /// L D L'. Every lane of the grid gets the determinant.
  __device__ LogProduct<T> eliminate() {
    wait_for_team();  // the last steps of the pair before may still be reading
    LogProduct<T> determinant;
    eliminate_from<0>(determinant);
    return determinant;
  }

  /// Replaces the matrix by the negative of its inverse (the sweep operator). Every lane of the grid gets the
  /// determinant.
  __device__ LogProduct<T> invert() {
    wait_for_team();
    LogProduct<T> determinant;
#pragma unroll 1
    for (int k = 0; k < Grid::dim; k += 2) {
      T* const first = turn(k);
      take_out(k / Grid::column_lanes, k, first, std::make_integer_sequence<int, Grid::column_blocks>());
      wait_for_team();
      const Pivots pivots(first + Grid::dim, determinant);
      update<0, 0>(first, pivots);
    }
    return determinant;
  }

 private:
  __device__ void wait_for_team() const {
    if constexpr (Grid::team == 32)
      __syncwarp();
    else  // the first barrier is that of the whole block
      asm volatile("bar.sync %0, %1;" ::"r"(team_ + 1), "n"(Grid::team) : "memory");
  }

  /// Of two columns, which are eliminated one after the other. The second column is brought up to date by every lane
  /// for itself.
  struct Pivots {
    /// Of the pivots before elimination, and the entry below the first.
    __device__ Pivots(T pivot, T below, T second_pivot, LogProduct<T>& determinant)
        : inverse(reciprocal(pivot)), factor(below * inverse) {
      const T next = fma(-below, factor, second_pivot);
      next_inverse = reciprocal(next);
      determinant.multiply(pivot);
      determinant.multiply(next);
    }
    __device__ Pivots(const T* kept, LogProduct<T>& determinant)
        : Pivots(kept[0], kept[1], kept[Grid::column_numbers], determinant) {}
    T inverse;
    T factor;
    T next_inverse;
  };

  /// This lane's first entry of matrix i.
  __device__ const T* lane_of(const T* values, long i) const {
    return values + i / Grid::pairs * (Grid::entries * Grid::team) + i % Grid::pairs * Grid::lanes + lane_;
  }

  /// The shared memory of columns k and k + 1.
  __device__ T* turn(int k) const {
    return columns_ + k / 2 % 2 * (2 * Grid::column_numbers);
  }

  template <int kColumn>
  __device__ void eliminate_from(LogProduct<T>& determinant) {
    if constexpr (kColumn < Grid::column_blocks) {
#pragma unroll 1
      for (int s = 0; s < Grid::column_lanes; s += 2) eliminate_two<kColumn>(s, determinant);
      eliminate_from<kColumn + 1>(determinant);
    }
  }

  /// Eliminates rows and columns k = kColumn * column_lanes + s and k + 1. What is left of rows and columns that are
  /// done is not looked at again.
  template <int kColumn>
  __device__ void eliminate_two(int s, LogProduct<T>& determinant) {
    constexpr int own = kColumn / Grid::ratio;
    const int k = kColumn * Grid::column_lanes + s;
    T* const first = turn(k);
    if (Grid::column_lanes == 2 || v_ == s || v_ == s + 1) {
      T* const column = first + (v_ - s) * Grid::column_numbers + u_;
#pragma unroll
      for (int row = own; row < Grid::blocks; ++row) column[row * Grid::row_lanes] = a_[Grid::at(row, kColumn)];
    }
    wait_for_team();
    const Pivots pivots(first[k], first[k + 1], first[Grid::column_numbers + k + 1], determinant);
    update<own, Grid::column_lanes == 2 ? kColumn + 1 : kColumn>(first, pivots);
  }

  /// The rank-one updates of two columns, from these blocks on. Rows are scaled, of which a lane has no more than columns.
  template <int kFirstRow, int kFirstColumn>
  __device__ void update(const T* first, const Pivots& pivots) {
    const T* const second = first + Grid::column_numbers;
    T row1[Grid::blocks], row2[Grid::blocks];
#pragma unroll
    for (int row = kFirstRow; row < Grid::blocks; ++row) {
      const T unscaled = first[row * Grid::row_lanes + u_];
      row1[row] = unscaled * pivots.inverse;
      row2[row] = fma(-pivots.factor, unscaled, second[row * Grid::row_lanes + u_]) * pivots.next_inverse;
    }
#pragma unroll
    for (int c = kFirstColumn; c < Grid::column_blocks; ++c) {
      const T column1 = first[c * Grid::column_lanes + v_];
      const T column2 = fma(-pivots.factor, column1, second[c * Grid::column_lanes + v_]);
#pragma unroll
      for (int row = kFirstRow; row < Grid::blocks; ++row) {
        if (c >= Grid::ratio * (row + 1)) continue;
        T& entry = a_[Grid::at(row, c)];
        entry = fma(-row2[row], column2, fma(-row1[row], column1, entry));
      }
    }
  }

  template <int... kColumns>
  __device__ void take_out(int column, int k, T* first, std::integer_sequence<int, kColumns...>) {
    (void)((column == kColumns && (take_out<kColumns>(k, first), true)) || ...);
  }

  /// Moves rows and columns k and k + 1 into shared memory and leaves zeros. With -1 in place of a pivot and 0 in place
  /// of the other entries of its row and column, rank-one updates put the inverse's row and column there; what the
  /// pivots were comes behind the columns.
  template <int kColumn>
  __device__ void take_out(int k, T* first) {
    constexpr int own = kColumn / Grid::ratio;
    const int u = u_ - k % Grid::row_lanes, v = v_ - k % Grid::column_lanes;  // 0 or 1 in these rows and columns
    if (Grid::column_lanes == 2 || v == 0 || v == 1) {
      T* const column = first + v * Grid::column_numbers;
#pragma unroll
      for (int row = own; row < Grid::blocks; ++row) {
        T& entry = a_[Grid::at(row, kColumn)];
        const bool special = row == own && (Grid::row_lanes == 2 || u == 0 || u == 1);
        if (special && u >= v) column[Grid::dim + u - v] = entry;
        column[row * Grid::row_lanes + u_] = special ? (u == v ? T{-1} : T{0}) : entry;
        entry = 0;
      }
    }
    if (Grid::row_lanes == 2 || u == 0 || u == 1) {
      T* const row = first + u * Grid::column_numbers + v_;
#pragma unroll
      for (int c = 0; c < Grid::ratio * own; ++c) {
        row[c * Grid::column_lanes] = a_[Grid::at(own, c)];
        a_[Grid::at(own, c)] = 0;
      }
#pragma unroll
      for (int c = Grid::ratio * own; c < Grid::ratio * (own + 1); ++c) a_[Grid::at(own, c)] = 0;
    }
  }

  int team_;
  int lane_;
  int u_;
  int v_;
  T* columns_;
  T a_[Grid::entries];
};

}  // namespace dsk::engine::cuda
