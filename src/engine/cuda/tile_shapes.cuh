#pragma once

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/tile_team.cuh"

namespace dsk::engine::cuda {

/// Blocks at most where each has tiles in device memory.
constexpr long memory_blocks = 264;

/// How the tiles of a matrix are shared out: a block has a pair.
template <class Tiles, int kBlocks>
struct Shape {
  using tiles = Tiles;
  static constexpr int blocks = kBlocks;  ///< that should find room on a multiprocessor
  static constexpr int threads = 32 * Tiles::warps;
};

/// Whether so many rows of tiles are kept in the shared memory that this device has.
inline bool on_chip(int rows) {
  constexpr int largest = 27, fits_all = 14;
  if (rows <= fits_all || rows > largest) return rows <= fits_all;
  return has_shared_memory((pair_numbers(rows) + triangle_before(rows) * tile_numbers) * sizeof(double));
}

/// Calls work(shape) with the shape for matrices of so many rows of tiles.
template <class Work>
void with_shape(int rows, const Work& work) {
  if (rows <= 14) return work(Shape<MemoryTiles<3, true>, 3>());
  if (on_chip(rows)) return work(Shape<MemoryTiles<4, true>, 1>());
  work(Shape<MemoryTiles<4, false>, 2>());
}

/// Numbers of shared memory of a block: those of a pair, and its tiles where they are there.
template <class Shape>
__host__ __device__ constexpr long shared_numbers(int dim) {
  return pair_numbers(tile_rows(dim)) + (Shape::tiles::in_shared_memory ? tiled_numbers(dim) : 0);
}

/// The team of a block, with tiles in shared or, from `slab` on, in device memory.
template <class Shape>
__device__ Team<typename Shape::tiles> make_team(double* shared, double* slab, int dim) {
  const int rows = tile_rows(dim);
  double* const home =
      Shape::tiles::in_shared_memory ? shared + pair_numbers(rows) : slab + blockIdx.x * tiled_numbers(dim);
  return {rows, static_cast<int>(threadIdx.x / 32), shared, home};
}

}  // namespace dsk::engine::cuda
