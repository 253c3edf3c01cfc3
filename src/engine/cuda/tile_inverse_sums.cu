#include <algorithm>

#include "engine/cuda/launch.hpp"
#include "engine/cuda/tile_shapes.cuh"

namespace dsk::engine::cuda {
namespace {

constexpr long most_shared_numbers = 9400;  // of a block with its sums; more would leave too few blocks at work

/// Columns first_column .. end_column - 1. A team takes a row and one of `parts` runs of them, and adds in their order
/// to what columns before have left.
template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    inverse_kernel(Tiled x, InverseTask task, long first_column, long end_column, bool shared_sums, double* sums,
                   double* slab) {
  extern __shared__ double shared[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, team_number = warp / Shape::warps;
  const long numbers = tiled_numbers(task.dim);
  auto team = make_team<Shape>(shared, slab, task.dim);
  for (long piece = static_cast<long>(blockIdx.x) * Shape::teams + team_number; piece < task.rows * task.parts;
       piece += static_cast<long>(gridDim.x) * Shape::teams) {
    const long part = piece / task.rows, row = piece % task.rows, i = task.first_row + row;
    double* const result = sums + piece * numbers;
    double* const sum = shared_sums ? shared + shared_numbers<Shape>(task.dim) + team_number * numbers : result;
    team.for_each(0, [&](int at, const Values&) {
      sum[at] = first_column == 0 ? 0 : result[at];
      sum[at + 1] = first_column == 0 ? 0 : result[at + 1];
    });
    const long columns = end_column - first_column;
    const long begin = first_column + columns * part / task.parts;
    const long end = first_column + columns * (part + 1) / task.parts;
    for (long j = begin; j < end; j += Shape::pairs) {
      double weights[Shape::pairs];
      bool any = false;
#pragma unroll
      for (int s = 0; s < Shape::pairs; ++s) {
        weights[s] = j + s < end && j + s != i ? task.weights[row * x.count + j + s] : 0;
        any |= weights[s] != 0;
      }
      if (!any) continue;
#pragma unroll
      for (int s = 0; s < Shape::pairs; ++s)
        team.load(s, x.values + i * numbers, x.values + (weights[s] != 0 ? j + s : i) * numbers);
      const LogProduct<double> determinant = team.template eliminate<true>();
#pragma unroll
      for (int s = 0; s < Shape::pairs; ++s) {
        if (weights[s] == 0) continue;
        if (warp % Shape::warps == 0 && lane == s * tile_side && determinant.bad())
          report_failure(task.failure, min(i, j + s), max(i, j + s), x.count);
        team.for_each(s, [&](int at, const Values& v) {
          sum[at] = fma(-weights[s], v[0], sum[at]);
          sum[at + 1] = fma(-weights[s], v[1], sum[at + 1]);
        });
      }
      team.sync();
    }
    if (shared_sums)
      team.for_each(0, [&](int at, const Values&) {
        result[at] = sum[at];
        result[at + 1] = sum[at + 1];
      });
  }
}

/// About what a pair takes, with all multiprocessors at work.
double inverse_nanoseconds(int dim) {
  return 1 + 2e-4 * dim * dim * dim;
}

}  // namespace

int team_warps(int dim) {
  int warps = 0;
  with_shape(tile_rows(dim), [&](auto shape) { warps = decltype(shape)::warps; });
  return warps;
}

void tile_inverse_sums(const Tiled& x, const InverseTask& task, double* sums, double* slab) {
  with_shape(tile_rows(task.dim), [&](auto shape) {
    using Chosen = decltype(shape);
    const long bare = shared_numbers<Chosen>(task.dim), with_sums = bare + Chosen::teams * tiled_numbers(task.dim);
    const bool shared_sums = with_sums <= most_shared_numbers;
    const long blocks = (task.rows * task.parts + Chosen::teams - 1) / Chosen::teams;
    in_turns(x.count, static_cast<double>(task.rows) * inverse_nanoseconds(task.dim), [&](long first, long end) {
      launch(inverse_kernel<Chosen>,
             static_cast<unsigned>(on_chip(tile_rows(task.dim)) ? blocks : std::min(blocks, memory_blocks)),
             Chosen::threads, static_cast<std::size_t>(shared_sums ? with_sums : bare) * sizeof(double), x, task, first,
             end, shared_sums, sums, slab);
    });
  });
}

}  // namespace dsk::engine::cuda
