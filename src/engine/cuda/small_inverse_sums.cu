#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/small.cuh"

namespace dsk::engine::cuda {
namespace {

constexpr int lanes = 32;
constexpr int warps = 8;   // rows of a block, which share the columns they look at
constexpr int width = 64;  // columns in shared memory at a time

template <class T, int kDim>
struct ColumnMemory {
  static constexpr int elements = triangle_before(kDim);
  T rows[warps][elements];
  T columns[elements][width];
};

/// A warp for each row, a lane for each 32nd column; the lanes' sums are added in one order.
template <class T, int kDim>
__global__ void __launch_bounds__(lanes* warps) inverse_kernel(Interleaved<T> x, InverseTask task, T* sums) {
  __shared__ ColumnMemory<T, kDim> shared;
  using Matrix = SmallMatrix<T, kDim>;
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const long row = static_cast<long>(blockIdx.x) * warps + warp, i = task.first_row + row;
  const bool working = row < task.rows;
  for (int e = lane; e < Matrix::elements; e += lanes)
    if (working) shared.rows[warp][e] = x.values[e * x.count + i];
  const long blocks = (x.count + width - 1) / width;
  const long begin = blocks * blockIdx.y / task.parts, end = blocks * (blockIdx.y + 1) / task.parts;
  T sum[Matrix::elements];
#pragma unroll
  for (int e = 0; e < Matrix::elements; ++e) sum[e] = 0;
  for (long block = begin; block < end; ++block) {
    __syncthreads();
    for (int k = threadIdx.x; k < Matrix::elements * width; k += lanes * warps)
      shared.columns[k / width][k % width] =
          x.values[(k / width) * x.count + min(block * width + k % width, x.count - 1)];
    __syncthreads();
    if (!working) continue;
#pragma unroll 1
    for (int part = 0; part < width; part += lanes) {
      const long j = block * width + part + lane;
      const T weight = j < x.count && j != i ? static_cast<T>(task.weights[row * x.count + j]) : T{0};
      if (weight == 0) continue;
      Matrix mean;
#pragma unroll
      for (int e = 0; e < Matrix::elements; ++e) mean.a[e] = shared.rows[warp][e] + shared.columns[e][part + lane];
      if (!mean.invert()) report_failure(task.failure, min(i, j), max(i, j), x.count);
#pragma unroll
      for (int e = 0; e < Matrix::elements; ++e) sum[e] = fma(-weight, mean.a[e], sum[e]);
    }
  }
  if (!working) return;
#pragma unroll
  for (int e = 0; e < Matrix::elements; ++e) {
    T total = sum[e];
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) total += __shfl_xor_sync(whole_warp, total, distance);
    if (lane == 0) sums[(blockIdx.y * task.rows + row) * Matrix::elements + e] = total;
  }
}

}  // namespace

template <class T>
void small_inverse_sums(const Interleaved<T>& x, const InverseTask& task, T* sums) {
  with_dim<largest_small_inverse>(task.dim, [&](auto dim) {
    const dim3 grid(static_cast<unsigned>((task.rows + warps - 1) / warps), static_cast<unsigned>(task.parts));
    launch(inverse_kernel<T, dim()>, grid, lanes * warps, 0, x, task, sums);
  });
}
template void small_inverse_sums(const Interleaved<double>&, const InverseTask&, double*);
template void small_inverse_sums(const Interleaved<float>&, const InverseTask&, float*);

}  // namespace dsk::engine::cuda
