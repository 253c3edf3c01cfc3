#include <type_traits>

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/small.cuh"

namespace dsk::engine::cuda {
namespace {

constexpr int lanes = 32;
/// Up to this size a lane keeps its sum in registers, too.
constexpr int largest_in_registers = 8;

template <class T, int kDim>
struct RegisterSum {
  __device__ explicit RegisterSum(T (*)[lanes], int) {}
  __device__ T& operator[](int e) { return values[e]; }
  T values[triangle_before(kDim)];
};

template <class T>
struct SharedSum {
  __device__ SharedSum(T (*warp_sums)[lanes], int number) : sums(warp_sums), lane(number) {}
  __device__ T& operator[](int e) { return sums[e][lane]; }
  T (*sums)[lanes];
  int lane;
};

/// Of a block, whose warps have a row each and share the columns that they look at.
template <class T, int kDim, int kWarps>
struct BlockMemory {
  static constexpr bool has_sums = kDim > largest_in_registers;
  static constexpr int elements = triangle_before(kDim);
  static constexpr int width = has_sums ? 32 : 64;  // columns in shared memory at a time
  using Sum = std::conditional_t<has_sums, SharedSum<T>, RegisterSum<T, kDim>>;
  T rows[kWarps][elements];
  T columns[elements][width];
  T sums[has_sums ? kWarps : 1][has_sums ? elements : 1][lanes];
};

/// A warp for each row, a lane for each 32nd column; the lanes' sums are added in one order.
template <class T, int kDim, int kWarps>
__global__ void __launch_bounds__(lanes* kWarps) inverse_kernel(Interleaved<T> x, InverseTask task, T* sums) {
  extern __shared__ char memory[];
  using Memory = BlockMemory<T, kDim, kWarps>;
  auto& shared = *reinterpret_cast<Memory*>(memory);
  using Matrix = SmallMatrix<T, kDim>;
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const long row = static_cast<long>(blockIdx.x) * kWarps + warp, i = task.first_row + row;
  const bool working = row < task.rows;
  for (int e = lane; e < Matrix::elements; e += lanes)
    if (working) shared.rows[warp][e] = x.values[e * x.count + i];
  const long blocks = (x.count + Memory::width - 1) / Memory::width;
  const long begin = blocks * blockIdx.y / task.parts, end = blocks * (blockIdx.y + 1) / task.parts;
  typename Memory::Sum sum(shared.sums[Memory::has_sums ? warp : 0], lane);
#pragma unroll
  for (int e = 0; e < Matrix::elements; ++e) sum[e] = 0;
  for (long block = begin; block < end; ++block) {
    __syncthreads();
    for (int k = threadIdx.x; k < Matrix::elements * Memory::width; k += lanes * kWarps)
      shared.columns[k / Memory::width][k % Memory::width] =
          x.values[(k / Memory::width) * x.count + min(block * Memory::width + k % Memory::width, x.count - 1)];
    __syncthreads();
    if (!working) continue;
#pragma unroll 1
    for (int part = 0; part < Memory::width; part += lanes) {
      const long j = block * Memory::width + part + lane;
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

template <class T, int kDim, int kWarps>
void start(const Interleaved<T>& x, const InverseTask& task, T* sums) {
  const dim3 grid(static_cast<unsigned>((task.rows + kWarps - 1) / kWarps), static_cast<unsigned>(task.parts));
  launch(inverse_kernel<T, kDim, kWarps>, grid, lanes * kWarps, sizeof(BlockMemory<T, kDim, kWarps>), x, task, sums);
}

}  // namespace

template <class T>
void small_inverse_sums(const Interleaved<T>& x, const InverseTask& task, T* sums) {
  with_dim<largest_small_inverse>(task.dim, [&](auto dim) {
    constexpr int most = dim() <= largest_in_registers ? 8 : 4;
    constexpr std::size_t bytes = sizeof(BlockMemory<T, dim(), most>);
    if constexpr (bytes > shared_memory_everywhere)
      if (!has_shared_memory(bytes)) return start<T, dim(), 2>(x, task, sums);
    start<T, dim(), most>(x, task, sums);
  });
}
template void small_inverse_sums(const Interleaved<double>&, const InverseTask&, double*);
template void small_inverse_sums(const Interleaved<float>&, const InverseTask&, float*);

}  // namespace dsk::engine::cuda
