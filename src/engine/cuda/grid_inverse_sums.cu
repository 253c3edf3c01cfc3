#include "engine/cuda/lane_grid.cuh"
#include "engine/cuda/launch.hpp"

namespace dsk::engine::cuda {
namespace {

template <class T, class Grid>
struct TeamMemory {
  Two<T> columns[Grid::shared_twos];
  Two<T> sum[Grid::entry_twos][Grid::team];
};

/// A team takes a row and one of `parts` runs of its columns. Each grid of lanes sums up every Grid::pairs-th column;
/// what columns before first_column have left is where the sums start.
template <class T, class Grid, int kWarps>
__global__ void __launch_bounds__(32 * kWarps, 4 / kWarps * grid_blocks<T, Grid>())
    inverse_kernel(Gridded<T> x, InverseTask task, long first_column, long end_column, T* sums) {
  extern __shared__ __align__(16) char memory[];
  const int team = threadIdx.x / Grid::team, lane = threadIdx.x % Grid::team;
  auto& [columns, sum] = reinterpret_cast<TeamMemory<T, Grid>*>(memory)[team];
  const long piece = static_cast<long>(blockIdx.x) * (32 * kWarps / Grid::team) + team;
  if (piece >= task.rows * task.parts) return;
  const long part = piece / task.rows, row = piece % task.rows, i = task.first_row + row;
  Two<T>* const result = reinterpret_cast<Two<T>*>(sums) + piece * (Grid::entry_twos * Grid::lanes);
#pragma unroll
  for (int e = 0; e < Grid::entry_twos; ++e)
    sum[e][lane] = first_column == 0 || lane >= Grid::lanes ? Two<T>{} : result[e * Grid::lanes + lane];
  // Parts begin where a team reads neighbouring matrices.
  const long groups = (end_column - first_column + Grid::pairs - 1) / Grid::pairs;
  const long begin = first_column + groups * part / task.parts * Grid::pairs;
  const long end = min(first_column + groups * (part + 1) / task.parts * Grid::pairs, end_column);
  GriddedMatrix<T, Grid> mean(team, lane, columns);
#pragma unroll 1
  for (long first = begin; first < end; first += Grid::pairs) {
    const long j = first + lane / Grid::lanes;
    const T weight = j < end && j != i ? static_cast<T>(task.weights[row * x.count + j]) : T{0};
    if (!__any_sync(whole_warp, weight != 0)) continue;
    // A matrix with itself can be inverted where nothing is to be added.
    mean.load(x.values, i, x.values, weight != 0 ? j : i);
    const LogProduct<T> determinant = mean.invert();
    if (determinant.bad() && weight != 0 && lane % Grid::lanes == 0)
      report_failure(task.failure, min(i, j), max(i, j), x.count);
#pragma unroll
    for (int e = 0; e < Grid::entries; e += 2) {
      const Two<T> before = sum[e / 2][lane];
      sum[e / 2][lane] = {fma(-weight, mean.entry(e), before.first),
                          e + 1 < Grid::entries ? fma(-weight, mean.entry(e + 1), before.second) : T{0}};
    }
  }
#pragma unroll
  for (int e = 0; e < Grid::entry_twos; ++e) {
    Two<T> total = sum[e][lane];
#pragma unroll
    for (int distance = 16; distance >= Grid::lanes; distance /= 2) {
      total.first += __shfl_xor_sync(whole_warp, total.first, distance);
      total.second += __shfl_xor_sync(whole_warp, total.second, distance);
    }
    if (lane < Grid::lanes) result[e * Grid::lanes + lane] = total;
  }
}

/// About what a pair takes, with all multiprocessors at work.
double inverse_nanoseconds(int dim) {
  return 0.1 + 5e-5 * dim * dim * dim;
}

template <class T, class Grid, int kWarps>
void start(const Gridded<T>& x, const InverseTask& task, T* sums) {
  constexpr int teams = 32 * kWarps / Grid::team;
  const long blocks = (task.rows * task.parts + teams - 1) / teams;
  in_turns(x.count, static_cast<double>(x.count) * inverse_nanoseconds(task.dim), [&](long first, long end) {
    launch(inverse_kernel<T, Grid, kWarps>, static_cast<unsigned>(blocks), 32 * kWarps,
           teams * sizeof(TeamMemory<T, Grid>), x, task, first, end, sums);
  });
}

}  // namespace

template <class T>
void grid_inverse_sums(const Gridded<T>& x, const InverseTask& task, T* sums) {
  with_grid(task.dim, [&](auto grid) {
    using Grid = decltype(grid);
    constexpr std::size_t bytes = 128 / Grid::team * sizeof(TeamMemory<T, Grid>);
    if constexpr (bytes > shared_memory_everywhere)
      if (!has_shared_memory(bytes)) return start<T, Grid, 2>(x, task, sums);
    start<T, Grid, 4>(x, task, sums);
  });
}
template void grid_inverse_sums(const Gridded<double>&, const InverseTask&, double*);
template void grid_inverse_sums(const Gridded<float>&, const InverseTask&, float*);

}  // namespace dsk::engine::cuda
