#pragma once

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/tile_team.cuh"

namespace dsk::engine::cuda {

/// Blocks at most where each has tiles in device memory.
constexpr long memory_blocks = 264;

/// How the tiles of a matrix are shared out.
template <class Tiles, int kPairs, int kTeams, int kBlocks>
struct Shape {
  using tiles = Tiles;
  static constexpr int pairs = kPairs;  ///< that a team works on at a time
  static constexpr int warps = Tiles::warps;
  static constexpr int teams = kTeams;    ///< in a block; only teams of one warp can be several
  static constexpr int blocks = kBlocks;  ///< that should find room on a multiprocessor
  static constexpr int threads = 32 * warps * teams;
};

/// Whether so many rows of tiles are kept in registers or in the shared memory that this device has.
inline bool on_chip(int rows) {
  constexpr int largest = 27, fits_all = 14;
  if (rows <= fits_all || rows > largest) return rows <= fits_all;
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for shared memory");
  return (pair_numbers(rows) + triangle_before(rows) * tile_numbers) * sizeof(double) <=
         static_cast<std::size_t>(bytes);
}

/// Calls work(shape) with the shape for matrices of so many rows of tiles.
template <class Work>
void with_shape(int rows, const Work& work) {
  if (rows <= 2) return work(Shape<RegisterTiles<2>, 4, 4, 4>());
  if (rows <= 3) return work(Shape<RegisterTiles<3>, 2, 4, 4>());
  if (rows <= 4) return work(Shape<RegisterTiles<4>, 2, 4, 3>());
  if (rows <= 6) return work(Shape<RegisterTiles<6>, 1, 4, 3>());
  if (rows <= 10) return work(Shape<MemoryTiles<2, true>, 1, 1, 5>());
  if (rows <= 14) return work(Shape<MemoryTiles<3, true>, 1, 1, 3>());
  if (on_chip(rows)) return work(Shape<MemoryTiles<4, true>, 1, 1, 1>());
  work(Shape<MemoryTiles<4, false>, 1, 1, 2>());
}

/// Numbers of shared memory of a block's teams, without tiles.
template <class Shape>
__host__ __device__ constexpr int shared_panels(int dim) {
  return Shape::teams * Shape::pairs * pair_numbers(tile_rows(dim));
}
/// The same with tiles, where they are there.
template <class Shape>
__host__ __device__ constexpr long shared_numbers(int dim) {
  return shared_panels<Shape>(dim) + (Shape::tiles::in_shared_memory ? tiled_numbers(dim) : 0);
}

/// Where a block's tiles are that are not in registers.
template <class Shape>
__device__ double* home_of_tiles(double* shared, double* slab, int dim) {
  if constexpr (Shape::tiles::in_shared_memory) return shared + shared_panels<Shape>(dim);
  return slab + blockIdx.x * tiled_numbers(dim);
}

/// The team of the calling thread.
template <class Shape>
using TeamOf = Team<typename Shape::tiles, Shape::pairs>;
template <class Shape>
__device__ TeamOf<Shape> make_team(double* shared, double* slab, int dim) {
  const int rows = tile_rows(dim), warp = threadIdx.x / 32;
  return {rows, warp % Shape::warps, shared + warp / Shape::warps * Shape::pairs * pair_numbers(rows),
          home_of_tiles<Shape>(shared, slab, dim)};
}

}  // namespace dsk::engine::cuda
