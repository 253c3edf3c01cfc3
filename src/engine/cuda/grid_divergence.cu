#include "engine/cuda/lane_grid.cuh"
#include "engine/cuda/launch.hpp"

namespace dsk::engine::cuda {
namespace {

constexpr int warps = 4;  // of a block, which look at the same columns at about the same time

/// Of a square of pairs, the work of a block; small where pairs take so long that the last blocks would be waited for.
template <class Grid>
constexpr int side_of = Grid::lanes < 16   ? 32
                        : Grid::lanes < 32 ? 16
                                           : 8;

template <class T, class Grid>
__global__ void __launch_bounds__(32 * warps, grid_blocks<T, Grid>())
    divergence_kernel(Gridded<T> x, Gridded<T> y, DivergenceTask task, long first_square) {
  constexpr int side = side_of<Grid>, teams = 32 * warps / Grid::team;
  __shared__ Two<T> shared[teams][Grid::shared_twos];
  const int team = threadIdx.x / Grid::team, lane = threadIdx.x % Grid::team;
  const long squares = (y.count + side - 1) / side, square = first_square + blockIdx.x;
  const long row0 = square / squares * side, column0 = square % squares * side;
  if (task.symmetric && column0 < row0) return;
  const long column_end = min(column0 + side, y.count);
  GriddedMatrix<T, Grid> mean(team, lane, shared[team]);
#pragma unroll 1
  for (long row = row0 + team; row < min(row0 + side, task.rows); row += teams) {
    const long i = task.first_row + row;
#pragma unroll 1
    for (long first = task.symmetric ? max(column0, row / Grid::pairs * Grid::pairs) : column0; first < column_end;
         first += Grid::pairs) {
      const long column = first + lane / Grid::lanes;
      mean.load(x.values, i, y.values, column);
      const LogProduct<T> determinant = mean.eliminate();
      if (lane % Grid::lanes != 0 || column >= column_end || (task.symmetric && column < row)) continue;
      double value = static_cast<double>(determinant.value()) - (task.row_offset[i] + task.column_offset[column]);
      if (task.clamp) value = value > 0 ? value : 0;
      if (determinant.bad()) report_failure(task.failure, i, column, y.count);
      task.out[row * y.count + column] = value;
      if (task.symmetric) task.out[column * y.count + row] = value;
    }
  }
}

template <class T, class Grid>
__global__ void __launch_bounds__(32 * warps, grid_blocks<T, Grid>())
    logdet_kernel(Gridded<T> x, double* out, unsigned long long* failure) {
  constexpr int teams = 32 * warps / Grid::team;
  __shared__ Two<T> shared[teams][Grid::shared_twos];
  const int team = threadIdx.x / Grid::team, lane = threadIdx.x % Grid::team;
  const long i = (static_cast<long>(blockIdx.x) * teams + team) * Grid::pairs + lane / Grid::lanes;
  GriddedMatrix<T, Grid> matrix(team, lane, shared[team]);
  matrix.load(x.values, min(i, x.count - 1), x.values, min(i, x.count - 1));
  const LogProduct<T> determinant = matrix.eliminate();
  if (lane % Grid::lanes != 0 || i >= x.count) return;
  out[i] = static_cast<double>(determinant.value());
  if (determinant.bad()) report_failure(failure, i, i, x.count);
}

/// About what a pair takes, with all multiprocessors at work.
double pair_nanoseconds(int dim) {
  return 0.1 + 3e-5 * dim * dim * dim;
}

}  // namespace

template <class T>
void grid_divergences(const Gridded<T>& x, const Gridded<T>& y, const DivergenceTask& task) {
  with_grid(task.dim, [&](auto grid) {
    constexpr int side = side_of<decltype(grid)>;
    const long squares = (task.rows + side - 1) / side * ((y.count + side - 1) / side);
    in_turns(squares, side * side * pair_nanoseconds(task.dim), [&](long first, long end) {
      launch(divergence_kernel<T, decltype(grid)>, static_cast<unsigned>(end - first), 32 * warps, 0, x, y, task,
             first);
    });
  });
}
template void grid_divergences(const Gridded<double>&, const Gridded<double>&, const DivergenceTask&);
template void grid_divergences(const Gridded<float>&, const Gridded<float>&, const DivergenceTask&);

template <class T>
void grid_logdets(const Gridded<T>& x, int dim, double* out, unsigned long long* failure) {
  with_grid(dim, [&](auto grid) {
    using Grid = decltype(grid);
    constexpr long each = 32 * warps / Grid::lanes;
    launch(logdet_kernel<T, Grid>, static_cast<unsigned>((x.count + each - 1) / each), 32 * warps, 0, x, out, failure);
  });
}
template void grid_logdets(const Gridded<double>&, int, double*, unsigned long long*);
template void grid_logdets(const Gridded<float>&, int, double*, unsigned long long*);

GridLayout grid_layout(int dim) {
  GridLayout layout;
  with_grid(dim, [&](auto grid) {
    using Grid = decltype(grid);
    layout = {Grid::row_lanes, Grid::column_lanes, Grid::team / 32, Grid::pairs, 2L * Grid::entry_twos * Grid::lanes};
  });
  return layout;
}

}  // namespace dsk::engine::cuda
