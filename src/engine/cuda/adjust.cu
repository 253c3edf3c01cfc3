// Matrices made of eigenvectors and eigenvalues on the device, and what the gradient by eigenvalues is made of.

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"

namespace dsk::engine::cuda {
namespace {

constexpr int threads = 128;

/// A block for each matrix, a thread for each entry of the lower triangle.
__global__ void __launch_bounds__(threads)
    recompose_kernel(const double* vectors, const double* values, int dim, double* out) {
  const long square = static_cast<long>(dim) * dim;
  const double* const u = vectors + blockIdx.x * square;
  const double* const lambda = values + static_cast<long>(blockIdx.x) * dim;
  double* const matrix = out + blockIdx.x * square;
  for (long k = threadIdx.x; k < square; k += threads) {
    const long r = k / dim, c = k % dim;
    if (c > r) continue;
    double sum = 0;
    for (int z = 0; z < dim; ++z) sum = fma(u[r * dim + z] * lambda[z], u[c * dim + z], sum);
    matrix[r * dim + c] = sum;
    matrix[c * dim + r] = sum;
  }
}

/// A block for each coordinate.
__global__ void __launch_bounds__(threads) largest_kernel(const double* matrices, int dim, long count, double* out) {
  __shared__ double largest[threads];
  const long square = static_cast<long>(dim) * dim, at = static_cast<long>(blockIdx.x) * dim + blockIdx.x;
  double found = 0;
  for (long i = threadIdx.x; i < count; i += threads) {
    const double entry = matrices[i * square + at];
    found = entry > found ? entry : found;
  }
  largest[threadIdx.x] = found;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int t = 1; t < threads; ++t) found = largest[t] > found ? largest[t] : found;
  out[blockIdx.x] = found;
}

/// A block for each matrix, a thread for each eigenvector.
__global__ void __launch_bounds__(threads)
    quadratic_kernel(const double* sums, const double* vectors, long first, int dim, double* out) {
  const long square = static_cast<long>(dim) * dim;
  const double* const u = vectors + (first + blockIdx.x) * square;
  const double* const a = sums + blockIdx.x * square;
  for (int z = threadIdx.x; z < dim; z += threads) {
    double total = 0;
    for (int r = 0; r < dim; ++r) {
      double row = 0;
      for (int c = 0; c < dim; ++c)
        row = fma(a[static_cast<long>(r) * dim + c], u[static_cast<long>(c) * dim + z], row);
      total = fma(u[static_cast<long>(r) * dim + z], row, total);
    }
    out[static_cast<long>(blockIdx.x) * dim + z] = total;
  }
}

}  // namespace

void recompose(const double* vectors, const double* values, int dim, long count, double* out) {
  launch(recompose_kernel, dim3(static_cast<unsigned>(count)), threads, 0, vectors, values, dim, out);
}

void largest_diagonals(const double* matrices, int dim, long count, double* out) {
  launch(largest_kernel, dim3(static_cast<unsigned>(dim)), threads, 0, matrices, dim, count, out);
}

void quadratic_forms(const double* sums, const double* vectors, long first, int dim, long count, double* out) {
  launch(quadratic_kernel, dim3(static_cast<unsigned>(count)), threads, 0, sums, vectors, first, dim, out);
}

}  // namespace dsk::engine::cuda
