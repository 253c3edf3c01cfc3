// What all kernels share. Compiled without contraction of products and sums, so that a pair of equal matrices gets the
// bits of the single one wherever it is computed: every fused operation is written out.
#pragma once

#include <cuda_runtime.h>

#include "engine/cuda/kernels.hpp"

namespace dsk::engine::cuda {

constexpr unsigned whole_warp = 0xffffffffu;

/// Elements of the lower triangle before row `row`.
__host__ __device__ constexpr int triangle_before(int row) {
  return row * (row + 1) / 2;
}

__device__ inline double reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const double error = fma(-x, r, 1.0);
  return fma(r, fma(error, error, error), r);
}
__device__ inline float reciprocal(float x) {
  return __frcp_rn(x);
}

__device__ inline double reciprocal_root(double x) {
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const double error = fma(-x * r, r, 1.0);
  return fma(r * error, fma(0.375, error, 0.5), r);
}

/// The logarithm of a product of positive numbers, of which only the mantissas are multiplied: no number of factors
/// leaves the range of the arithmetic.
template <class T>
class LogProduct;

template <>
class LogProduct<double> {
 public:
  __device__ void multiply(double factor) {
    const int high = __double2hiint(factor);
    bad_ |= static_cast<unsigned>(high - 0x00100000) >= 0x7fe00000u;
    exponent_ += (high >> 20) - 1023;
    mantissa_ *= __hiloint2double((high & 0x000fffff) | 0x3ff00000, __double2loint(factor));
  }
  /// To be called after at most a thousand factors.
  __device__ void normalise() {
    const int high = __double2hiint(mantissa_);
    exponent_ += (high >> 20) - 1023;
    mantissa_ = __hiloint2double((high & 0x000fffff) | 0x3ff00000, __double2loint(mantissa_));
  }
  __device__ double value() const { return fma(static_cast<double>(exponent_), 0.69314718055994531, log(mantissa_)); }
  /// Whether a factor was not a positive normal number.
  __device__ bool bad() const { return bad_; }

 private:
  double mantissa_ = 1;
  int exponent_ = 0;
  bool bad_ = false;
};

template <>
class LogProduct<float> {
 public:
  __device__ void multiply(float factor) {
    const int bits = __float_as_int(factor);
    bad_ |= static_cast<unsigned>(bits - 0x00800000) >= 0x7f000000u;
    exponent_ += (bits >> 23) - 127;
    mantissa_ *= __int_as_float((bits & 0x007fffff) | 0x3f800000);
  }
  __device__ float value() const { return fmaf(static_cast<float>(exponent_), 0.693147181f, logf(mantissa_)); }
  __device__ bool bad() const { return bad_; }

 private:
  float mantissa_ = 1;
  int exponent_ = 0;
  bool bad_ = false;
};

/// Remembers the first pair, in row order, that is not numerically positive definite.
__device__ inline void report_failure(unsigned long long* first, long row, long column, long columns) {
  atomicMin(first, number_of_pair(row, column, columns));
}

}  // namespace dsk::engine::cuda
