// What is done with divergences once they are there: sums over rows, and weights.

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/numerics.cuh"

namespace dsk::engine::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / 32;

/// Combines one value of each thread, always in the same order; all threads get the result.
template <class Combine>
__device__ double combined(double value, const Combine& combine) {
  __shared__ double of_warp[warps];
  for (int distance = 16; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(whole_warp, value, distance));
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[0];
  for (int w = 1; w < warps; ++w) value = combine(value, of_warp[w]);
  return value;
}

__device__ double block_sum(double value) {
  return combined(value, [](double a, double b) { return a + b; });
}
__device__ double block_minimum(double value) {
  return combined(value, [](double a, double b) { return a < b ? a : b; });
}

/// A block for each row.
__global__ void __launch_bounds__(threads)
    sum_kernel(const double* divergence, long first_row, long rows, long count, const int* classes,
               const double* thetas, int theta_count, RowSums* out) {
  const long row = blockIdx.x, i = first_row + row;
  const double* const entries = divergence + row * count;
  const int own = classes[i];
  const double infinity = __longlong_as_double(0x7ff0000000000000LL);
  RowSums sums;
  double smallest[2] = {infinity, infinity};
  for (long j = threadIdx.x; j < count; j += threads) {
    if (j == i) continue;
    const bool same = classes[j] == own;
    if (!same && entries[j] < smallest[0]) smallest[0] = entries[j];
    if (same && entries[j] < smallest[1]) smallest[1] = entries[j];
  }
  for (int s = 0; s < 2; ++s) sums.smallest[s] = block_minimum(smallest[s]);
  for (int t = 0; t < theta_count; ++t) {
    const double theta = thetas[t];
    const double largest[2] = {exp(-theta * sums.smallest[0]), exp(-theta * sums.smallest[1])};
    double sum[2] = {0, 0}, squares = 0;
    for (long j = threadIdx.x; j < count; j += threads) {
      if (j == i) continue;
      const bool same = classes[j] == own;
      const double relative = exp(-theta * (entries[j] - (same ? sums.smallest[1] : sums.smallest[0])));
      const double kernel = relative * (same ? largest[1] : largest[0]);
      sum[0] += same ? 0 : relative;
      sum[1] += same ? relative : 0;
      squares = fma(kernel, kernel, squares);
    }
    for (int s = 0; s < 2; ++s) sums.sum[s] = block_sum(sum[s]);
    sums.squares = block_sum(squares);
    if (threadIdx.x == 0) out[t * rows + row] = sums;
  }
}

__device__ double weight_of(const Weighting& how, double divergence, bool same, long i, long j) {
  if (how.kind == Weighting::Kind::sums) {
    const double kernel = exp(-how.theta * divergence);
    return kernel * ((same ? how.a[i] : how.other) + how.b[i] + how.b[j] + how.square * kernel);
  }
  const double* const offset = same ? how.a : how.b;
  const double exponent = -how.theta * divergence;
  return (same ? how.factor : -how.factor) * (exp(offset[i] + exponent) + exp(offset[j] + exponent));
}

__global__ void __launch_bounds__(threads) weigh_kernel(double* divergence, long first_row, long count,
                                                        const int* classes, Weighting how, WeightSums* row_sums) {
  const long row = blockIdx.x, i = first_row + row;
  double* const entries = divergence + row * count;
  double sum = 0, times_divergence = 0;
  for (long j = threadIdx.x; j < count; j += threads) {
    const double weight = j == i ? 0 : weight_of(how, entries[j], classes[i] == classes[j], i, j);
    times_divergence = fma(weight, entries[j], times_divergence);
    entries[j] = weight;
    sum += weight;
  }
  sum = block_sum(sum);
  times_divergence = block_sum(times_divergence);
  if (threadIdx.x == 0) row_sums[row] = {sum, times_divergence};
}

}  // namespace

void sum_rows(const double* divergence, long first_row, long rows, long count, const int* classes, const double* thetas,
              int theta_count, RowSums* out) {
  launch(sum_kernel, dim3(static_cast<unsigned>(rows)), threads, 0, divergence, first_row, rows, count, classes, thetas,
         theta_count, out);
}

void weigh_rows(double* divergence, long first_row, long rows, long count, const int* classes, const Weighting& how,
                WeightSums* row_sums) {
  launch(weigh_kernel, dim3(static_cast<unsigned>(rows)), threads, 0, divergence, first_row, count, classes, how,
         row_sums);
}

}  // namespace dsk::engine::cuda
