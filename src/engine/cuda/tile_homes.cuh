// Where a team keeps the tiles of its matrix.
#pragma once

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/numerics.cuh"

namespace dsk::engine::cuda {

constexpr int tile_numbers = tile_side * tile_side;

/// A tile as an operand: a lane holds (lane / 4, lane % 4) and the entry four columns further on.
using Operand = double[2];
/// A tile as a result: a lane holds (lane / 4, 2 (lane % 4)) and the next entry of the row.
using Values = double[2];

/// top += upper right', bottom += lower right'.
__device__ inline void multiply_add(Values& top, Values& bottom, const Operand& upper, const Operand& lower,
                                    const Operand& right) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+d"(top[0]), "+d"(top[1]), "+d"(bottom[0]), "+d"(bottom[1])
      : "d"(upper[0]), "d"(lower[0]), "d"(upper[1]), "d"(lower[1]), "d"(right[0]), "d"(right[1]));
#else
  for (int k = 0; k < 2; ++k) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(top[0]), "+d"(top[1])
        : "d"(upper[k]), "d"(right[k]));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(bottom[0]), "+d"(bottom[1])
        : "d"(lower[k]), "d"(right[k]));
  }
#endif
}

/// Where (r, c) of a tile is in shared memory: the left four columns first, so that operands are read without
/// conflicts.
__device__ inline int operand_at(int r, int c) {
  return c / 4 * 32 + r * 4 + c % 4;
}
__device__ inline void load_operand(Operand& operand, const double* tile, int lane) {
  operand[0] = tile[lane];
  operand[1] = tile[lane + 32];
}

/// The operands of a row of tiles in step p of the elimination.
template <bool kInvert>
__device__ inline void load_row(Operand& a, const double* panel, int row, int p, int lane) {
  load_operand(a, panel + row * tile_numbers, lane);
  if (kInvert && row == p) return;
  a[0] = -a[0];
  a[1] = -a[1];
}
template <bool kInvert>
__device__ inline void load_column(Operand& b, const double* panel, int column, int p, int lane) {
  load_operand(b, panel + column * tile_numbers, lane);
  if (!kInvert || column != p) return;
  b[0] = -b[0];
  b[1] = -b[1];
}

/// In shared or, for the largest matrices, device memory. The warps form a square grid: warp (u, v) owns the tiles
/// whose row is u and whose column is v, modulo the grid's side.
template <int kSide, bool kShared>
class MemoryTiles {
 public:
  static constexpr int warps = kSide * kSide;
  static constexpr bool in_shared_memory = kShared;
  MemoryTiles() = default;
  __device__ MemoryTiles(int rows, int warp, double* home)
      : rows_(rows), u_(warp / kSide), v_(warp % kSide), lane_(threadIdx.x % 32), home_(home) {}

  template <class Work>
  __device__ void fill(const Work& work) {
    for (int row = u_; row < rows_; row += kSide)
      for (int column = v_; column <= row; column += kSide) {
        Values values;
        work(row, column, values);
        put(row, column, values);
      }
  }
  template <class Work>
  __device__ void read(const Work& work) {
    for (int row = u_; row < rows_; row += kSide)
      for (int column = v_; column <= row; column += kSide) read_one(row, column, work);
  }
  template <bool kInvert, class Work>
  __device__ void read_cross(int p, const Work& work) {
    if (p % kSide == v_)
      for (int row = first_above(u_, p - 1); row < rows_; row += kSide) read_one(row, p, work);
    if (kInvert && p % kSide == u_)
      for (int column = v_; column < p; column += kSide) read_one(p, column, work);
  }

  template <bool kInvert>
  __device__ void update(int p, const double* panel) {
    const int first_column = kInvert ? v_ : first_above(v_, p);
    for (int row = kInvert ? u_ : first_above(u_, p); row < rows_; row += 2 * kSide) {
      const int next_row = row + kSide;
      Operand upper, lower;
      load_row<kInvert>(upper, panel, row, p, lane_);
      load_row<kInvert>(lower, panel, min(next_row, rows_ - 1), p, lane_);
      const int last = next_row < rows_ ? next_row : row;
#pragma unroll 2
      for (int column = first_column; column <= last; column += kSide) {
        Operand right;
        load_column<kInvert>(right, panel, column, p, lane_);
        Values top = {0, 0}, bottom = {0, 0};
        if (column <= row && !(kInvert && (row == p || column == p))) get(row, column, top);
        if (next_row < rows_ && !(kInvert && (next_row == p || column == p))) get(next_row, column, bottom);
        multiply_add(top, bottom, upper, lower, right);
        if (column <= row) put(row, column, top);
        if (next_row < rows_) put(next_row, column, bottom);
      }
    }
  }

 private:
  /// The first number above p that is `residue` modulo the grid's side.
  __device__ static int first_above(int residue, int p) {
    return p < residue ? residue : residue + (p - residue) / kSide * kSide + kSide;
  }
  __device__ double2* at(int row, int column) const {
    return reinterpret_cast<double2*>(home_) + (triangle_before(row) + column) * (tile_numbers / 2) + lane_;
  }
  __device__ void get(int row, int column, Values& values) const {
    const double2 stored = *at(row, column);
    values[0] = stored.x;
    values[1] = stored.y;
  }
  __device__ void put(int row, int column, const Values& values) const {
    *at(row, column) = make_double2(values[0], values[1]);
  }
  template <class Work>
  __device__ void read_one(int row, int column, const Work& work) const {
    Values values;
    get(row, column, values);
    work(row, column, values);
  }

  int rows_;
  int u_;
  int v_;
  int lane_;
  double* home_;
};

}  // namespace dsk::engine::cuda
