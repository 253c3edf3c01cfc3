// Squared distances of rows, and weighted sums of rows: both are a product of two matrices, in the first of which
// squares of differences stand in place of products. A block computes a tile of the result, a thread 4 x 4 entries of
// it.

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"

namespace dsk::engine::cuda {
namespace {

constexpr int side = 64;   // of a tile
constexpr int depth = 16;  // numbers of each of its rows and columns in shared memory at a time
constexpr int own = 4;     // rows and columns of a thread
constexpr int across = side / own;
constexpr int threads = across * across;
constexpr int padded = side + 2;

/// Squares of differences are summed, so that close rows lose no digits, equal ones have a distance of exactly 0, and
/// either order of two rows gives the same bits.
struct SquaredDistances {
  Rows x, y;
  long first_row, rows;
  bool symmetric;
  double* out;

  __device__ long height() const { return rows; }
  __device__ long breadth() const { return y.count; }
  __device__ long terms() const { return x.width; }
  __device__ double left(long row, long k) const { return x.values[(first_row + row) * x.width + k]; }
  __device__ double right(long column, long k) const { return y.values[column * y.width + k]; }
  static constexpr bool right_by_rows = true;  ///< whether numbers of one column are neighbours in memory
  __device__ static double add(double sum, double a, double b) {
    const double difference = a - b;
    return fma(difference, difference, sum);
  }
  __device__ bool skips(long row, long column) const { return symmetric && column < row; }
  __device__ void put(long row, long column, bool mirrored, double value) const {
    out[row * y.count + column] = value;
    if (mirrored) out[column * y.count + row] = value;
  }
};

struct WeightedSums {
  const double* weights;
  long rows;
  Rows x;
  double* out;

  __device__ long height() const { return rows; }
  __device__ long breadth() const { return x.width; }
  __device__ long terms() const { return x.count; }
  __device__ double left(long row, long k) const { return weights[row * x.count + k]; }
  __device__ double right(long column, long k) const { return x.values[k * x.width + column]; }
  static constexpr bool right_by_rows = false;
  static constexpr bool symmetric = false;
  __device__ static double add(double sum, double a, double b) { return fma(a, b, sum); }
  __device__ bool skips(long, long) const { return false; }
  __device__ void put(long row, long column, bool, double value) const { out[row * x.width + column] = value; }
};

/// The column of a tile that is a thread's c-th: neighbours have pairs of neighbouring columns.
__device__ int own_column(int thread, int c) {
  return c / 2 * (side / 2) + thread % across * 2 + c % 2;
}

template <class Product>
__global__ void __launch_bounds__(threads) product_kernel(Product product, long first_tile) {
  __shared__ double left[depth][padded], right[depth][padded];
  const long tiles = (product.breadth() + side - 1) / side, tile = first_tile + blockIdx.x;
  const long row0 = tile / tiles * side, column0 = tile % tiles * side;
  if (product.skips(row0, column0)) return;
  const int thread = threadIdx.x, row = thread / across * own;
  double sum[own][own] = {};
  for (long k0 = 0; k0 < product.terms(); k0 += depth) {
    __syncthreads();
#pragma unroll
    for (int n = thread; n < depth * side; n += threads) {
      const long r = row0 + n / depth, k = k0 + n % depth;
      left[n % depth][n / depth] = r < product.height() && k < product.terms() ? product.left(r, k) : 0;
      const int c = Product::right_by_rows ? n / depth : n % side, z = Product::right_by_rows ? n % depth : n / side;
      right[z][c] =
          column0 + c < product.breadth() && k0 + z < product.terms() ? product.right(column0 + c, k0 + z) : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      double a[own], b[own];
#pragma unroll
      for (int c = 0; c < own; ++c) {
        a[c] = left[k][row + c];
        b[c] = right[k][own_column(thread, c)];
      }
#pragma unroll
      for (int r = 0; r < own; ++r)
#pragma unroll
        for (int c = 0; c < own; ++c) sum[r][c] = Product::add(sum[r][c], a[r], b[c]);
    }
  }
#pragma unroll
  for (int r = 0; r < own; ++r)
#pragma unroll
    for (int c = 0; c < own; ++c) {
      const long i = row0 + row + r, j = column0 + own_column(thread, c);
      if (i < product.height() && j < product.breadth())
        product.put(i, j, product.symmetric && row0 != column0, sum[r][c]);
    }
}

template <class Product>
void compute(const Product& product, long rows, long columns, long terms) {
  constexpr double nanoseconds_of_term = 1e-4;  // with all multiprocessors at work
  const long tiles = ((rows + side - 1) / side) * ((columns + side - 1) / side);
  in_turns(tiles, static_cast<double>(side * side) * nanoseconds_of_term * static_cast<double>(terms),
           [&](long first, long end) {
             launch(product_kernel<Product>, dim3(static_cast<unsigned>(end - first)), threads, 0, product, first);
           });
}

}  // namespace

void squared_distances(const Rows& x, const Rows& y, long first_row, long rows, bool symmetric, double* out) {
  compute(SquaredDistances{x, y, first_row, rows, symmetric, out}, rows, y.count, x.width);
}

void sum_weighted_rows(const double* weights, long rows, const Rows& x, double* out) {
  compute(WeightedSums{weights, rows, x, out}, rows, x.width, x.count);
}

}  // namespace dsk::engine::cuda
