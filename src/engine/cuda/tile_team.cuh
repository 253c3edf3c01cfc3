// One pair by a team of warps. The lower triangle is cut into 8 x 8 tiles, two numbers of each in every lane of the
// warp that owns it, as the tensor cores want them; a column of tiles at a time passes through shared memory.
#pragma once

#include "engine/cuda/tile_homes.cuh"

namespace dsk::engine::cuda {

/// Doubles of shared memory for one pair: two columns of tiles, which take turns, and the pivot's factor and its
/// inverse. The last four keep pairs that are worked on together out of each other's banks.
__host__ __device__ constexpr int pair_numbers(int rows) {
  return 2 * rows * tile_numbers + 2 * tile_numbers + tile_side + 4;
}

/// kPairs pairs at a time: four share the time of finding pivots, in which a lane has one row of a tile.
template <class Tiles, int kPairs>
class Team {
 public:
  /// `shared` has pair_numbers for each pair, `home` is the memory of tiles that are not in registers.
  __device__ Team(int rows, int warp, double* shared, double* home)
      : rows_(rows), warp_(warp), lane_(threadIdx.x % 32), shared_(shared) {
#pragma unroll
    for (int s = 0; s < kPairs; ++s) tiles_[s] = Tiles(rows, warp, home);
  }

  /// Pair s becomes the sum of two tiled matrices.
  __device__ void load(int s, const double* x, const double* y) {
    tiles_[s].fill([&](int row, int column, Values& v) {
      const int at = (triangle_before(row) + column) * (tile_numbers / 2) + lane_;
      const double2 a = reinterpret_cast<const double2*>(x)[at], b = reinterpret_cast<const double2*>(y)[at];
      v[0] = a.x + b.x;
      v[1] = a.y + b.y;
    });
  }

  /// Cholesky; or, with kInvert, the sweep operator, after which the tiles hold the negatives of the inverses. The
  /// determinant of pair s is known to lanes 8 s to 8 s + 7 of the first warp.
  template <bool kInvert>
  __device__ LogProduct<double> eliminate() {
    LogProduct<double> determinant;
#pragma unroll 1
    for (int p = 0; p < rows_; ++p) {
#pragma unroll
      for (int s = 0; s < kPairs; ++s) publish<kInvert>(tiles_[s], p, panel(s, p));
      sync();
      if (warp_ == 0) factor_pivot(p, determinant);
      sync();
#pragma unroll
      for (int s = 0; s < kPairs; ++s) divide_panel<kInvert>(s, p);
      sync();
#pragma unroll
      for (int s = 0; s < kPairs; ++s) tiles_[s].template update<kInvert>(p, panel(s, p));
    }
    return determinant;
  }

  /// Calls work(position of the tile's first number of this lane, two numbers) for each tile of pair s of this warp.
  template <class Work>
  __device__ void for_each(int s, const Work& work) {
    tiles_[s].read([&](int row, int column, const Values& v) {
      work((triangle_before(row) + column) * tile_numbers + 2 * lane_, v);
    });
  }

  __device__ static void sync() {
    if constexpr (Tiles::warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }

 private:
  __device__ double* panel(int s, int p) const {
    return shared_ + s * pair_numbers(rows_) + (p & 1) * rows_ * tile_numbers;
  }
  /// The inverse of the pivot's unit factor, then the factor itself, then the pivots.
  __device__ double* pivot_memory(int s) const {
    return shared_ + s * pair_numbers(rows_) + 2 * rows_ * tile_numbers;
  }

  /// Lays column p of tiles, of which those right of the diagonal are mirrored, down in shared memory.
  template <bool kInvert>
  __device__ void publish(Tiles& tiles, int p, double* out) {
    const int r = lane_ / 4, c = lane_ % 4 * 2;
    tiles.template read_cross<kInvert>(p, [&](int row, int column, const Values& v) {
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
    const int own = lane_ % n, s = lane_ / n % kPairs;
    const bool writes = lane_ < n * kPairs;
    const double* const tile = panel(s, p) + p * tile_numbers;
    double* const inverse = pivot_memory(s);
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
  __device__ void divide_panel(int s, int p) {
    const int r = lane_ / 4, c = lane_ % 4 * 2;
    const double* const inverse = pivot_memory(s);
    Operand factor;
    load_operand(factor, inverse, lane_);
    const double scale = reciprocal_root(inverse[2 * tile_numbers + r]);
    factor[0] *= scale;
    factor[1] *= scale;
    for (int row = (kInvert ? 0 : p + 1) + 2 * warp_; row < rows_; row += 2 * Tiles::warps) {
      double* const tile = panel(s, p) + row * tile_numbers;
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
  Tiles tiles_[kPairs];
};

}  // namespace dsk::engine::cuda
