// Small matrices in the registers of one thread.
#pragma once

#include <type_traits>
#include <utility>

#include "engine/cuda/numerics.cuh"

namespace dsk::engine::cuda {

template <class T, int kDim>
struct SmallMatrix {
  static constexpr int elements = triangle_before(kDim);
  T a[elements];

  static __device__ constexpr int at(int r, int c) { return triangle_before(r) + c; }

  /// L D L' in place of the lower triangle; returns the determinant.
  __device__ LogProduct<T> eliminate() {
    LogProduct<T> determinant;
#pragma unroll
    for (int k = 0; k < kDim; ++k) {
      determinant.multiply(a[at(k, k)]);
      if (k + 1 == kDim) break;
      const T inverse = reciprocal(a[at(k, k)]);
#pragma unroll
      for (int c = k + 1; c < kDim; ++c) {
        const T factor = a[at(c, k)] * inverse;
#pragma unroll
        for (int r = c; r < kDim; ++r) a[at(r, c)] = fma(-a[at(r, k)], factor, a[at(r, c)]);
      }
    }
    return determinant;
  }

  /// Replaces the matrix by the negative of its inverse (the sweep operator); false if it is not positive definite.
  __device__ bool invert() {
    LogProduct<T> determinant;
#pragma unroll
    for (int k = 0; k < kDim; ++k) {
      determinant.multiply(a[at(k, k)]);
      const T inverse = reciprocal(a[at(k, k)]);
#pragma unroll
      for (int c = 0; c < kDim; ++c) {
        if (c == k) continue;
        const T of_column = c > k ? a[at(c, k)] : a[at(k, c)];
        const T factor = of_column * inverse;
#pragma unroll
        for (int r = c; r < kDim; ++r) {
          if (r == k) continue;
          a[at(r, c)] = fma(-(r > k ? a[at(r, k)] : a[at(k, r)]), factor, a[at(r, c)]);
        }
      }
#pragma unroll
      for (int c = 0; c < kDim; ++c) {
        if (c == k) continue;
        (c > k ? a[at(c, k)] : a[at(k, c)]) *= inverse;
      }
      a[at(k, k)] = -inverse;
    }
    return !determinant.bad();
  }
};

/// Calls work(integral constant) with the dimension, which is 1 to kLargest.
template <int kLargest, class Work>
void with_dim(int dim, const Work& work) {
  [&]<int... kBefore>(std::integer_sequence<int, kBefore...>) {
    (void)((dim == kBefore + 1 && (work(std::integral_constant<int, kBefore + 1>()), true)) || ...);
  }
  (std::make_integer_sequence<int, kLargest>());
}

}  // namespace dsk::engine::cuda
