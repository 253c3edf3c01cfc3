#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/small.cuh"

namespace dsk::engine::cuda {
namespace {

constexpr int side = 32;  // of a tile of pairs: a lane for each column
constexpr int warps = 4;

template <class T, int kDim>
struct TileMemory {
  static constexpr int elements = triangle_before(kDim);
  T rows[side][elements];
  T columns[elements][side];
  double mirror[side][side + 1];
};

/// A tile of 32 x 32 pairs, and its mirror image where the matrix is symmetric.
template <class T, int kDim>
__global__ void __launch_bounds__(side* warps)
    divergence_kernel(Interleaved<T> x, Interleaved<T> y, DivergenceTask task) {
  if (task.symmetric && blockIdx.x < blockIdx.y) return;
  extern __shared__ char memory[];
  auto& shared = *reinterpret_cast<TileMemory<T, kDim>*>(memory);
  using Matrix = SmallMatrix<T, kDim>;
  const int lane = threadIdx.x % side, warp = threadIdx.x / side;
  const long row0 = static_cast<long>(blockIdx.y) * side, column0 = static_cast<long>(blockIdx.x) * side;
  const long row_end = task.first_row + task.rows;
  for (int e = warp; e < Matrix::elements; e += warps) {
    const long row = min(task.first_row + row0 + lane, row_end - 1), column = min(column0 + lane, y.count - 1);
    shared.rows[lane][e] = x.values[e * x.count + row];
    shared.columns[e][lane] = y.values[e * y.count + column];
  }
  __syncthreads();
  const long column = column0 + lane;
  const double column_offset = task.column_offset[min(column, y.count - 1)];
#pragma unroll 1
  for (int r = warp; r < side; r += warps) {
    const long row = task.first_row + row0 + r;
    if (row >= row_end) break;
    Matrix mean;
#pragma unroll
    for (int e = 0; e < Matrix::elements; ++e) mean.a[e] = shared.rows[r][e] + shared.columns[e][lane];
    const LogProduct<T> determinant = mean.eliminate();
    double value = static_cast<double>(determinant.value()) - (task.row_offset[row] + column_offset);
    if (task.clamp) value = value > 0 ? value : 0;
    if (column < y.count) {
      if (determinant.bad()) report_failure(task.failure, row, column, y.count);
      task.out[(row0 + r) * y.count + column] = value;
    }
    shared.mirror[r][lane] = value;
  }
  if (!task.symmetric || blockIdx.x == blockIdx.y) return;
  __syncthreads();
  for (int c = warp; c < side; c += warps)
    if (column0 + c < y.count && row0 + lane < task.rows)
      task.out[(column0 + c) * y.count + row0 + lane] = shared.mirror[lane][c];
}

template <class T, int kDim>
__global__ void logdet_kernel(Interleaved<T> x, double* out, unsigned long long* failure) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= x.count) return;
  SmallMatrix<T, kDim> matrix;
#pragma unroll
  for (int e = 0; e < SmallMatrix<T, kDim>::elements; ++e)
    matrix.a[e] = x.values[e * x.count + i] + x.values[e * x.count + i];
  const LogProduct<T> determinant = matrix.eliminate();
  out[i] = static_cast<double>(determinant.value());
  if (determinant.bad()) report_failure(failure, i, i, x.count);
}

}  // namespace

template <class T>
void small_divergences(const Interleaved<T>& x, const Interleaved<T>& y, const DivergenceTask& task) {
  with_dim<largest_small>(task.dim, [&](auto dim) {
    const auto kernel = divergence_kernel<T, dim()>;
    const dim3 grid(static_cast<unsigned>((y.count + side - 1) / side),
                    static_cast<unsigned>((task.rows + side - 1) / side));
    launch(kernel, grid, side * warps, sizeof(TileMemory<T, dim()>), x, y, task);
  });
}
template void small_divergences(const Interleaved<double>&, const Interleaved<double>&, const DivergenceTask&);
template void small_divergences(const Interleaved<float>&, const Interleaved<float>&, const DivergenceTask&);

template <class T>
void small_logdets(const Interleaved<T>& x, int dim, double* out, unsigned long long* failure) {
  with_dim<largest_small>(dim, [&](auto d) {
    constexpr int threads = 128;
    launch(logdet_kernel<T, d()>, static_cast<unsigned>((x.count + threads - 1) / threads), threads, 0, x, out,
           failure);
  });
}
template void small_logdets(const Interleaved<double>&, int, double*, unsigned long long*);
template void small_logdets(const Interleaved<float>&, int, double*, unsigned long long*);

}  // namespace dsk::engine::cuda
