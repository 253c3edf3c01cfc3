// One pair by a grid of lanes of a warp, or of two. Lane (u, v) of a grid of kRowLanes x kColumnLanes holds, in
// registers, the entries of the lower triangle whose row is u and whose column is v, modulo the grid's sides. Two
// columns of the matrix at a time pass through shared memory.
#pragma once

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/numerics.cuh"

namespace dsk::engine::cuda {

/// Two numbers that are read at once.
template <class T>
struct alignas(2 * sizeof(T)) Two {
  T first;
  T second;
};

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
  static constexpr int blocks = kBlocks;                ///< rows of a lane
  static constexpr int column_blocks = ratio * kBlocks;
  static constexpr int dim = kRowLanes * kBlocks;
  static constexpr int entries = ratio * triangle_before(kBlocks);  ///< of a lane
  /// Where the entry in row block R and column block C of a lane is.
  static __host__ __device__ constexpr int at(int row, int column) { return ratio * triangle_before(row) + column; }
  static constexpr int entry_twos = (entries + 1) / 2;
  /// Rows of two columns in shared memory from one pair to the next, with two more behind them: an odd number of rows
  /// of lanes, so that the pairs of a warp read from different banks.
  static constexpr int stride = kRowLanes * ((kBlocks + 1) | 1);
  static constexpr int column_twos = pairs * stride;   ///< of all pairs of a team
  static constexpr int shared_twos = 2 * column_twos;  ///< two times two columns, which take turns
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
  /// `columns` is the shared memory of the team of this number in the block, of Grid::shared_twos.
  __device__ GriddedMatrix(int team, int lane, Two<T>* columns)
      : team_(team),
        lane_(lane % Grid::lanes),
        u_(lane_in_grid(lane_, Grid::column_lanes).row),
        v_(lane_in_grid(lane_, Grid::column_lanes).column),
        columns_(columns + lane / Grid::lanes * Grid::stride) {}

  /// Becomes the sum of matrices i of x and j of y.
  __device__ void load(const T* x, long i, const T* y, long j) {
    const Two<T>* const one = lane_of(x, i);
    const Two<T>* const other = lane_of(y, j);
#pragma unroll
    for (int e = 0; e < Grid::entries; e += 2) {
      const Two<T> a = one[e / 2 * Grid::team], b = other[e / 2 * Grid::team];
      a_[e] = a.first + b.first;
      if (e + 1 < Grid::entries) a_[e + 1] = a.second + b.second;
    }
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
      Two<T>* const columns = turn(k);
      take_out_column<0, Grid::column_blocks>(k, columns);
      wait_for_team();
      const Pivots pivots(columns[Grid::dim], columns[Grid::dim + 1], determinant);
      update<0, 0>(columns, pivots);
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
    /// Of the rows of both pivots before elimination.
    __device__ Pivots(const Two<T>& row, const Two<T>& next_row, LogProduct<T>& determinant)
        : inverse(reciprocal(row.first)), factor(next_row.first * inverse) {
      const T next = fma(-next_row.first, factor, next_row.second);
      next_inverse = reciprocal(next);
      determinant.multiply(row.first);
      determinant.multiply(next);
    }
    T inverse;
    T factor;
    T next_inverse;
  };

  /// This lane's first entries of matrix i.
  __device__ const Two<T>* lane_of(const T* values, long i) const {
    return reinterpret_cast<const Two<T>*>(values) + i / Grid::pairs * (Grid::entry_twos * Grid::team) +
           i % Grid::pairs * Grid::lanes + lane_;
  }

  /// The shared memory of columns k and k + 1.
  __device__ Two<T>* turn(int k) const {
    return columns_ + k / 2 % 2 * Grid::column_twos;
  }
  /// Where a number of the first or second column is.
  __device__ static T* place(Two<T>* columns, int row, int column) {
    return reinterpret_cast<T*>(columns + row) + column;
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
    Two<T>* const columns = turn(k);
    if (Grid::column_lanes == 2 || v_ == s || v_ == s + 1) {
      T* const column = place(columns, u_, v_ - s);
#pragma unroll
      for (int row = own; row < Grid::blocks; ++row) column[row * 2 * Grid::row_lanes] = a_[Grid::at(row, kColumn)];
    }
    wait_for_team();
    const Pivots pivots(columns[k], columns[k + 1], determinant);
    update<own, Grid::column_lanes == 2 ? kColumn + 1 : kColumn>(columns, pivots);
  }

  /// The rank-one updates of two columns, from these blocks on. Rows are scaled, of which a lane has no more than
  /// columns.
  template <int kFirstRow, int kFirstColumn>
  __device__ void update(const Two<T>* columns, const Pivots& pivots) {
    T row1[Grid::blocks], row2[Grid::blocks];
#pragma unroll
    for (int row = kFirstRow; row < Grid::blocks; ++row) {
      const Two<T> unscaled = columns[row * Grid::row_lanes + u_];
      row1[row] = unscaled.first * pivots.inverse;
      row2[row] = fma(-pivots.factor, unscaled.first, unscaled.second) * pivots.next_inverse;
    }
#pragma unroll
    for (int c = kFirstColumn; c < Grid::column_blocks; ++c) {
      const auto [column1, second] = columns[c * Grid::column_lanes + v_];
      const T column2 = fma(-pivots.factor, column1, second);
#pragma unroll
      for (int row = kFirstRow; row < Grid::blocks; ++row) {
        if (c >= Grid::ratio * (row + 1)) continue;
        T& entry = a_[Grid::at(row, c)];
        entry = fma(-row2[row], column2, fma(-row1[row], column1, entry));
      }
    }
  }

  /// Calls take_out for the block of columns, from kBegin to kEnd - 1, in which column k is.
  template <int kBegin, int kEnd>
  __device__ void take_out_column(int k, Two<T>* columns) {
    constexpr int middle = (kBegin + kEnd) / 2;
    if constexpr (kEnd - kBegin == 1) {
      take_out<kBegin>(k, columns);
    } else if (k < middle * Grid::column_lanes) {
      take_out_column<kBegin, middle>(k, columns);
    } else {
      take_out_column<middle, kEnd>(k, columns);
    }
  }

  /// Moves rows and columns k and k + 1 into shared memory and leaves zeros. With -1 in place of a pivot and 0 in place
  /// of the other entries of its row and column, rank-one updates put the inverse's row and column there; what the
  /// pivots were comes behind the columns.
  template <int kColumn>
  __device__ void take_out(int k, Two<T>* columns) {
    constexpr int own = kColumn / Grid::ratio;
    const int u = u_ - k % Grid::row_lanes, v = v_ - k % Grid::column_lanes;  // 0 or 1 in these rows and columns
    if (Grid::column_lanes == 2 || v == 0 || v == 1) {
      T* const column = place(columns, u_, v);
#pragma unroll
      for (int row = own; row < Grid::blocks; ++row) {
        T& entry = a_[Grid::at(row, kColumn)];
        const bool special = row == own && (Grid::row_lanes == 2 || u == 0 || u == 1);
        if (special && u >= v) *place(columns, Grid::dim + u, v) = entry;
        column[row * 2 * Grid::row_lanes] = special ? (u == v ? T{-1} : T{0}) : entry;
        entry = 0;
      }
    }
    if (Grid::row_lanes == 2 || u == 0 || u == 1) {
      T* const row = place(columns, v_, u);
#pragma unroll
      for (int c = 0; c < Grid::ratio * own; ++c) {
        row[c * 2 * Grid::column_lanes] = a_[Grid::at(own, c)];
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
  Two<T>* columns_;
  T a_[Grid::entries];
};

}  // namespace dsk::engine::cuda
