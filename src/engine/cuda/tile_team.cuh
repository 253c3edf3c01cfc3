// One pair by a block. The lower triangle is cut into 8 x 8 tiles, two numbers of each in every lane of the warp that
// works on it, as the tensor cores want them; a column of tiles at a time passes through shared memory.
#pragma once

#include "engine/cuda/tile_homes.cuh"

namespace dsk::engine::cuda {

/// Doubles of shared memory for one pair: two columns of tiles, which take turns, and the pivot's factor and its
/// inverse.
__host__ __device__ constexpr int pair_numbers(int rows) {
  return 2 * rows * tile_numbers + 2 * tile_numbers + tile_side;
}

template <class Tiles>
class Team {
 public:
  /// `shared` has pair_numbers, `home` is the memory of the tiles.
  __device__ Team(int rows, int warp, double* shared, double* home)
      : rows_(rows), warp_(warp), lane_(threadIdx.x % 32), shared_(shared), tiles_(rows, warp, home) {}

  /// Becomes the sum of two tiled matrices.
  __device__ void load(const double* x, const double* y) {
    tiles_.fill([&](int row, int column, Values& v) {
      const int at = (triangle_before(row) + column) * (tile_numbers / 2) + lane_;
      const double2 a = reinterpret_cast<const double2*>(x)[at], b = reinterpret_cast<const double2*>(y)[at];
      v[0] = a.x + b.x;
      v[1] = a.y + b.y;
    });
  }

  /// Cholesky; or, with kInvert, the sweep operator, after which the tiles hold the negatives of the inverse. The
  /// determinant is known to the first warp.
  template <bool kInvert>
  __device__ LogProduct<double> eliminate() {
    LogProduct<double> determinant;
#pragma unroll 1
    for (int p = 0; p < rows_; ++p) {
      publish<kInvert>(p, panel(p));
      __syncthreads();
      if (warp_ == 0) factor_pivot(p, determinant);
      __syncthreads();
      divide_panel<kInvert>(p);
      __syncthreads();
      tiles_.template update<kInvert>(p, panel(p));
    }
    return determinant;
  }

  /// Calls work(position of the tile's first number of this lane, two numbers) for each tile of this warp.
  template <class Work>
  __device__ void for_each(const Work& work) {
    tiles_.read([&](int row, int column, const Values& v) {
      work((triangle_before(row) + column) * tile_numbers + 2 * lane_, v);
    });
  }

 private:
  __device__ double* panel(int p) const {
    return shared_ + (p & 1) * rows_ * tile_numbers;
  }
  /// The inverse of the pivot's unit factor, then the factor itself, then the pivots.
  __device__ double* pivot_memory() const {
    return shared_ + 2 * rows_ * tile_numbers;
  }

  /// Lays column p of tiles, of which those right of the diagonal are mirrored, down in shared memory.
  template <bool kInvert>
  __device__ void publish(int p, double* out) {
    const int r = lane_ / 4, c = lane_ % 4 * 2;
    tiles_.template read_cross<kInvert>(p, [&](int row, int column, const Values& v) {
      if (column == p) {
        double* const tile = out + row * tile_numbers + operand_at(r, c);
        tile[0] = v[0];
        tile[1] = v[1];
      } else if (kInvert) {
        double* const tile = out + column * tile_numbers;
        tile[operand_at(c, r)] = v[0];
        tile[operand_at(c + 1, r)] = v[1];
      }
    });
  }

  /// The pivots D and the inverse of the unit factor L of the tile on the diagonal. A lane works on one row, then on
  /// one column of the inverse.
  __device__ void factor_pivot(int p, LogProduct<double>& determinant) {
    constexpr int n = tile_side;
    const int own = lane_ % n;
    const bool writes = lane_ < n;
    const double* const tile = panel(p) + p * tile_numbers;
    double* const inverse = pivot_memory();
    double* const unit = inverse + tile_numbers;
    double* const pivots = unit + tile_numbers;
    double a[n];
#pragma unroll
    for (int c = 0; c < n; ++c) a[c] = tile[operand_at(own, c)];
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const double pivot = __shfl_sync(whole_warp, a[k], k, n), factor = a[k] * reciprocal(pivot);
      determinant.multiply(pivot);
      if (writes && own == k) pivots[k] = pivot;
#pragma unroll
      for (int c = k + 1; c < n; ++c) a[c] = fma(-factor, __shfl_sync(whole_warp, a[k], c, n), a[c]);
      a[k] = factor;
    }
    determinant.normalise();
#pragma unroll
    for (int c = 0; c < n; ++c)
      if (writes) unit[own * n + c] = a[c];
    __syncwarp();
#pragma unroll
    for (int r = 0; r < n; ++r) a[r] = own == r ? 1 : 0;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (writes) inverse[operand_at(k, own)] = a[k];
#pragma unroll
      for (int r = k + 1; r < n; ++r) a[r] = fma(-unit[r * n + k], a[k], a[r]);
    }
  }

  /// Multiplies the published tiles by the transposed inverse of the pivot's Cholesky factor from the right; in place
  /// of the pivot itself comes that factor.
  template <bool kInvert>
  __device__ void divide_panel(int p) {
    const int r = lane_ / 4, c = lane_ % 4 * 2;
    const double* const inverse = pivot_memory();
    Operand factor;
    load_operand(factor, inverse, lane_);
    const double scale = reciprocal_root(inverse[2 * tile_numbers + r]);
    factor[0] *= scale;
    factor[1] *= scale;
    for (int row = (kInvert ? 0 : p + 1) + 2 * warp_; row < rows_; row += 2 * Tiles::warps) {
      double* const tile = panel(p) + row * tile_numbers;
      const bool two = row + 1 < rows_;
      Operand upper, lower = {0, 0};
      load_operand(upper, tile, lane_);
      if (two) load_operand(lower, tile + tile_numbers, lane_);
      if (kInvert && row == p) load_unit(upper);
      if (kInvert && row + 1 == p) load_unit(lower);
      Values top = {0, 0}, bottom = {0, 0};
      multiply_add(top, bottom, upper, lower, factor);
      __syncwarp();
      tile[operand_at(r, c)] = top[0];
      tile[operand_at(r, c) + 1] = top[1];
      if (!two) continue;
      tile[tile_numbers + operand_at(r, c)] = bottom[0];
      tile[tile_numbers + operand_at(r, c) + 1] = bottom[1];
    }
  }

  __device__ void load_unit(Operand& operand) const {
    operand[0] = lane_ / 4 == lane_ % 4 ? 1 : 0;
    operand[1] = lane_ / 4 == lane_ % 4 + 4 ? 1 : 0;
  }

  int rows_;
  int warp_;
  int lane_;
  double* shared_;
  Tiles tiles_;
};

}  // namespace dsk::engine::cuda
