#include <algorithm>

#include "engine/cuda/launch.hpp"
#include "engine/cuda/tile_shapes.cuh"

namespace dsk::engine::cuda {
namespace {

/// Columns first_column .. end_column - 1. A block takes a row and one of `parts` runs of them, and adds in their order
/// to what columns before have left.
template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    inverse_kernel(Tiled x, InverseTask task, long first_column, long end_column, double* sums, double* slab) {
  extern __shared__ double shared[];
  const long numbers = tiled_numbers(task.dim);
  auto team = make_team<Shape>(shared, slab, task.dim);
  for (long piece = blockIdx.x; piece < task.rows * task.parts; piece += gridDim.x) {
    const long part = piece / task.rows, row = piece % task.rows, i = task.first_row + row;
    double* const sum = sums + piece * numbers;
    if (first_column == 0) team.for_each([&](int at, const Values&) { sum[at] = sum[at + 1] = 0; });
    const long columns = end_column - first_column;
    const long begin = first_column + columns * part / task.parts;
    const long end = first_column + columns * (part + 1) / task.parts;
    for (long j = begin; j < end; ++j) {
      const double weight = j == i ? 0 : task.weights[row * x.count + j];
      if (weight == 0) continue;
      team.load(x.values + i * numbers, x.values + j * numbers);
      const LogProduct<double> determinant = team.template eliminate<true>();
      if (threadIdx.x == 0 && determinant.bad()) report_failure(task.failure, min(i, j), max(i, j), x.count);
      team.for_each([&](int at, const Values& v) {
        sum[at] = fma(-weight, v[0], sum[at]);
        sum[at + 1] = fma(-weight, v[1], sum[at + 1]);
      });
      __syncthreads();
    }
  }
}

/// About what a pair takes, with all multiprocessors at work.
double inverse_nanoseconds(int dim) {
  return 1 + 2e-4 * dim * dim * dim;
}

}  // namespace

int team_warps(int dim) {
  int warps = 0;
  with_shape(tile_rows(dim), [&](auto shape) { warps = decltype(shape)::tiles::warps; });
  return warps;
}

void tile_inverse_sums(const Tiled& x, const InverseTask& task, double* sums, double* slab) {
  with_shape(tile_rows(task.dim), [&](auto shape) {
    using Chosen = decltype(shape);
    const long pieces = task.rows * task.parts;
    in_turns(x.count, static_cast<double>(x.count) * inverse_nanoseconds(task.dim), [&](long first, long end) {
      launch(inverse_kernel<Chosen>,
             static_cast<unsigned>(on_chip(tile_rows(task.dim)) ? pieces : std::min(pieces, memory_blocks)),
             Chosen::threads, static_cast<std::size_t>(shared_numbers<Chosen>(task.dim)) * sizeof(double), x, task,
             first, end, sums, slab);
    });
  });
}

}  // namespace dsk::engine::cuda
