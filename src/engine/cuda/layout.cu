#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/numerics.cuh"

namespace dsk::engine::cuda {
namespace {

constexpr int threads = 256;

__device__ long thread_number() {
  return static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// The row of element e of a packed lower triangle.
__device__ int row_of(long e) {
  int row = static_cast<int>((sqrt(8.0 * static_cast<double>(e) + 1) - 1) / 2);
  while (static_cast<long>(row) * (row + 1) / 2 > e) --row;
  while (static_cast<long>(row + 1) * (row + 2) / 2 <= e) ++row;
  return row;
}

// Factors apply one after the other: their product may overflow where the scaled entry does not.
__device__ double half_scaled(const double* matrix, const double* factors, int dim, int r, int c) {
  return 0.5 * (matrix[static_cast<long>(r) * dim + c] * factors[r]) * factors[c];
}

template <class T>
__global__ void interleave_kernel(const double* matrices, const double* factors, int dim, long count, T* out) {
  const long k = thread_number(), elements = elements_of(dim);
  if (k >= elements * count) return;
  const long e = k / count, i = k % count;
  const int r = row_of(e), c = static_cast<int>(e - static_cast<long>(r) * (r + 1) / 2);
  out[k] = static_cast<T>(half_scaled(matrices + i * dim * dim, factors, dim, r, c));
}

/// Row and column of a lane's entry; the row is beyond the matrix where there is no such entry.
struct Place {
  int row;
  int column;
};
__device__ Place place_in_grid(const GridLayout& layout, long entry, int lane) {
  const int ratio = layout.row_lanes / layout.column_lanes;
  const long row = row_of(entry / ratio), column = entry - ratio * (row * (row + 1) / 2);
  const GridLane place = lane_in_grid(lane, layout.column_lanes);
  return {static_cast<int>(row) * layout.row_lanes + place.row,
          static_cast<int>(column) * layout.column_lanes + place.column};
}

template <class T>
__global__ void grid_kernel(const double* matrices, const double* factors, int dim, long count, GridLayout layout,
                            T* out) {
  const long k = thread_number(), of_group = layout.numbers * layout.together;
  if (k >= layout.numbers * layout.padded(count)) return;
  const int lanes = layout.row_lanes * layout.column_lanes, across = lanes * layout.together;
  const long i = k / of_group * layout.together + k / 2 % across / lanes;
  const auto [r, c] = place_in_grid(layout, k % of_group / (2 * across) * 2 + k % 2, static_cast<int>(k / 2 % lanes));
  out[k] = static_cast<T>(i < count && r < dim && c < dim
                              ? half_scaled(matrices + i * dim * dim, factors, dim, max(r, c), min(r, c))
                              : (r == c ? 0.5 : 0.0));
}

__global__ void tile_kernel(const double* matrices, const double* factors, int dim, long count, double* out) {
  const long k = thread_number(), numbers = tiled_numbers(dim);
  if (k >= numbers * count) return;
  const long i = k / numbers, tile = k % numbers / (tile_side * tile_side);
  const int row = row_of(tile), column = static_cast<int>(tile - static_cast<long>(row) * (row + 1) / 2);
  const int within = static_cast<int>(k % (tile_side * tile_side));
  const int r = row * tile_side + within / tile_side, c = column * tile_side + within % tile_side;
  out[k] = r < dim && c < dim ? half_scaled(matrices + i * dim * dim, factors, dim, max(r, c), min(r, c))
                              : (r == c ? 0.5 : 0.0);
}

/// at(r, c) is where a sum's element in row r, column c <= r is.
template <class T, class At>
__device__ void gather(const T* sums, const double* factors, int dim, long count, int parts, long numbers, double* out,
                       const At& at) {
  const long k = thread_number(), square = static_cast<long>(dim) * dim;
  if (k >= square * count) return;
  const long i = k / square;
  const int r = static_cast<int>(k % square / dim), c = static_cast<int>(k % dim);
  const long element = at(max(r, c), min(r, c));
  T sum = 0;
  for (int part = 0; part < parts; ++part) sum += sums[(part * count + i) * numbers + element];
  out[k] = static_cast<double>(sum) * factors[max(r, c)] * factors[min(r, c)];
}

template <class T>
__global__ void gather_elements_kernel(const T* sums, const double* factors, int dim, long count, int parts,
                                       double* out) {
  gather(sums, factors, dim, count, parts, elements_of(dim), out,
         [](int r, int c) { return static_cast<long>(r) * (r + 1) / 2 + c; });
}

template <class T>
__global__ void gather_grid_kernel(const T* sums, const double* factors, int dim, long count, int parts,
                                   GridLayout layout, double* out) {
  gather(sums, factors, dim, count, parts, layout.numbers, out, [&](int r, int c) {
    const long row = r / layout.row_lanes, entry = layout.row_lanes / layout.column_lanes * (row * (row + 1) / 2);
    const long own = entry + c / layout.column_lanes, lanes = layout.row_lanes * layout.column_lanes;
    const int lane = number_of_lane({r % layout.row_lanes, c % layout.column_lanes}, layout.column_lanes);
    return (own / 2 * lanes + lane) * 2 + own % 2;
  });
}

__global__ void gather_tiles_kernel(const double* sums, const double* factors, int dim, long count, int parts,
                                    double* out) {
  gather(sums, factors, dim, count, parts, tiled_numbers(dim), out, [](int r, int c) {
    const long row = r / tile_side, tile = row * (row + 1) / 2 + c / tile_side;
    return (tile * tile_side + r % tile_side) * tile_side + c % tile_side;
  });
}

dim3 blocks_for(long numbers) {
  return dim3(static_cast<unsigned>((numbers + threads - 1) / threads));
}

}  // namespace

template <class T>
void interleave(const double* matrices, const double* factors, int dim, long count, T* out) {
  launch(interleave_kernel<T>, blocks_for(elements_of(dim) * count), threads, 0, matrices, factors, dim, count, out);
}
template void interleave(const double*, const double*, int, long, double*);
template void interleave(const double*, const double*, int, long, float*);

template <class T>
void grid(const double* matrices, const double* factors, int dim, long count, T* out) {
  const GridLayout layout = grid_layout(dim);
  launch(grid_kernel<T>, blocks_for(layout.numbers * layout.padded(count)), threads, 0, matrices, factors, dim, count,
         layout, out);
}
template void grid(const double*, const double*, int, long, double*);
template void grid(const double*, const double*, int, long, float*);

void tile(const double* matrices, const double* factors, int dim, long count, double* out) {
  launch(tile_kernel, blocks_for(tiled_numbers(dim) * count), threads, 0, matrices, factors, dim, count, out);
}

template <class T>
void gather_elements(const T* sums, const double* factors, int dim, long count, int parts, double* out) {
  launch(gather_elements_kernel<T>, blocks_for(static_cast<long>(dim) * dim * count), threads, 0, sums, factors, dim,
         count, parts, out);
}
template void gather_elements(const double*, const double*, int, long, int, double*);
template void gather_elements(const float*, const double*, int, long, int, double*);

template <class T>
void gather_grid(const T* sums, const double* factors, int dim, long count, int parts, double* out) {
  launch(gather_grid_kernel<T>, blocks_for(static_cast<long>(dim) * dim * count), threads, 0, sums, factors, dim, count,
         parts, grid_layout(dim), out);
}
template void gather_grid(const double*, const double*, int, long, int, double*);
template void gather_grid(const float*, const double*, int, long, int, double*);

void gather_tiles(const double* sums, const double* factors, int dim, long count, int parts, double* out) {
  launch(gather_tiles_kernel, blocks_for(static_cast<long>(dim) * dim * count), threads, 0, sums, factors, dim, count,
         parts, out);
}

}  // namespace dsk::engine::cuda
