// Quadratic forms of all columns of a matrix, as many columns at a time as fit the registers.

#if defined(DSK_SPD_QUADRATIC_FORMS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_SPD_QUADRATIC_FORMS_LANES_INL_H_
#undef DSK_SPD_QUADRATIC_FORMS_LANES_INL_H_
#else
#define DSK_SPD_QUADRATIC_FORMS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "spd/quadratic_forms.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What rows r, ..., r + kRows - 1 of A contribute to the forms of two vectors of columns from `first` on.
template <int kRows>
HWY_INLINE void AddRows(const double* HWY_RESTRICT a, const double* HWY_RESTRICT u, Index dim, Index stride, Index r,
                        Index first, double* HWY_RESTRICT forms) {
  const hn::CappedTag<double, 8> d;
  using V = hn::Vec<decltype(d)>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  V product[kRows][2];
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) product[k][0] = product[k][1] = hn::Zero(d);
  for (Index c = 0; c < dim; ++c) {
    const V left = hn::LoadU(d, u + c * stride + first), right = hn::LoadU(d, u + c * stride + first + lanes);
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) {
      const V entry = hn::Set(d, a[(r + k) * dim + c]);
      product[k][0] = hn::MulAdd(entry, left, product[k][0]);
      product[k][1] = hn::MulAdd(entry, right, product[k][1]);
    }
  }
  V sum[2] = {hn::LoadU(d, forms + first), hn::LoadU(d, forms + first + lanes)};
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    const double* HWY_RESTRICT row = u + (r + k) * stride + first;
    sum[0] = hn::MulAdd(product[k][0], hn::LoadU(d, row), sum[0]);
    sum[1] = hn::MulAdd(product[k][1], hn::LoadU(d, row + lanes), sum[1]);
  }
  hn::StoreU(sum[0], d, forms + first);
  hn::StoreU(sum[1], d, forms + first + lanes);
}

inline void QuadraticForms(const double* a, const double* columns, Index dim, double* scratch, double* forms) {
  constexpr Index kBlock = 4;
  const Index width = 2 * static_cast<Index>(hn::Lanes(hn::CappedTag<double, 8>()));
  const Index stride = (dim + width - 1) / width * width;
  double* u = scratch;
  double* sums = scratch + dim * stride;
  for (Index r = 0; r < dim; ++r) {
    std::copy_n(columns + r * dim, dim, u + r * stride);
    std::fill(u + r * stride + dim, u + (r + 1) * stride, 0.0);
  }
  std::fill_n(sums, stride, 0.0);
  for (Index first = 0; first < stride; first += width) {
    Index r = 0;
    for (; r + kBlock <= dim; r += kBlock) AddRows<kBlock>(a, u, dim, stride, r, first, sums);
    for (; r < dim; ++r) AddRows<1>(a, u, dim, stride, r, first, sums);
  }
  std::copy_n(sums, dim, forms);
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
