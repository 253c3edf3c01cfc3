#include <algorithm>

#include "engine/cuda/launch.hpp"
#include "engine/cuda/tile_shapes.cuh"

namespace dsk::engine::cuda {
namespace {

constexpr int side = 8;  // of a square of pairs, whose rows are the pieces of work

/// A block's pieces of work are the rows of squares of 8 x 8 pairs: neighbouring blocks read the same few matrices.
template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    divergence_kernel(Tiled x, Tiled y, DivergenceTask task, long first_piece, long end_piece, double* slab) {
  extern __shared__ double shared[];
  const long numbers = tiled_numbers(task.dim), squares = (y.count + side - 1) / side;
  auto team = make_team<Shape>(shared, slab, task.dim);
  for (long piece = first_piece + blockIdx.x; piece < end_piece; piece += gridDim.x) {
    const long square = piece / side, row = square / squares * side + piece % side;
    const long first = square % squares * side, end = min(first + side, y.count);
    if (row >= task.rows) continue;
    const long i = task.first_row + row;
    for (long j = task.symmetric ? max(first, row) : first; j < end; ++j) {
      team.load(x.values + i * numbers, y.values + j * numbers);
      const LogProduct<double> determinant = team.template eliminate<false>();
      if (threadIdx.x == 0) {
        double value = determinant.value() - (task.row_offset[i] + task.column_offset[j]);
        if (task.clamp) value = value > 0 ? value : 0;
        if (determinant.bad()) report_failure(task.failure, i, j, y.count);
        task.out[row * y.count + j] = value;
        if (task.symmetric) task.out[j * y.count + row] = value;
      }
      __syncthreads();
    }
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    logdet_kernel(Tiled x, int dim, double* out, unsigned long long* failure, double* slab) {
  extern __shared__ double shared[];
  const long numbers = tiled_numbers(dim);
  auto team = make_team<Shape>(shared, slab, dim);
  for (long i = blockIdx.x; i < x.count; i += gridDim.x) {
    team.load(x.values + i * numbers, x.values + i * numbers);
    const LogProduct<double> determinant = team.template eliminate<false>();
    if (threadIdx.x == 0) {
      out[i] = determinant.value();
      if (determinant.bad()) report_failure(failure, i, i, x.count);
    }
    __syncthreads();
  }
}

unsigned blocks_for(long pieces, int dim) {
  return static_cast<unsigned>(std::min(pieces, on_chip(tile_rows(dim)) ? 1L << 30 : memory_blocks));
}

/// About what a pair takes, with all multiprocessors at work.
double factor_nanoseconds(int dim) {
  return 1 + 5e-5 * dim * dim * dim;
}

}  // namespace

long slab_numbers(int dim) {
  return on_chip(tile_rows(dim)) ? 0 : memory_blocks * tiled_numbers(dim);
}

void tile_divergences(const Tiled& x, const Tiled& y, const DivergenceTask& task, double* slab) {
  with_shape(tile_rows(task.dim), [&](auto shape) {
    using Chosen = decltype(shape);
    const long squares = (y.count + side - 1) / side, pieces = (task.rows + side - 1) / side * squares * side;
    in_turns(pieces, side * factor_nanoseconds(task.dim), [&](long first, long end) {
      launch(divergence_kernel<Chosen>, blocks_for(end - first, task.dim), Chosen::threads,
             static_cast<std::size_t>(shared_numbers<Chosen>(task.dim)) * sizeof(double), x, y, task, first, end, slab);
    });
  });
}

void tile_logdets(const Tiled& x, int dim, double* out, unsigned long long* failure, double* slab) {
  with_shape(tile_rows(dim), [&](auto shape) {
    using Chosen = decltype(shape);
    launch(logdet_kernel<Chosen>, blocks_for(x.count, dim), Chosen::threads,
           static_cast<std::size_t>(shared_numbers<Chosen>(dim)) * sizeof(double), x, dim, out, failure, slab);
  });
}

}  // namespace dsk::engine::cuda
