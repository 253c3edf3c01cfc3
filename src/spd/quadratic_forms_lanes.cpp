// Quadratic forms of all columns of a matrix, in panels of as many columns as fit into the registers.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/quadratic_forms_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "spd/spd.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Columns = hn::CappedTag<double, 8>;

/// The contribution of rows r, ..., r + kRows - 1 of A to the forms of a panel of columns, two vectors wide.
template <int kRows>
HWY_INLINE void AddRows(const double* HWY_RESTRICT a, const double* HWY_RESTRICT panel, Index dim, Index r,
                        double* HWY_RESTRICT forms) {
  const Columns d;
  using V = hn::Vec<Columns>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  V product[kRows][2];
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) product[k][0] = product[k][1] = hn::Zero(d);
  for (Index c = 0; c < dim; ++c) {
    const V left = hn::LoadU(d, panel + 2 * c * lanes), right = hn::LoadU(d, panel + (2 * c + 1) * lanes);
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) {
      const V entry = hn::Set(d, a[(r + k) * dim + c]);
      product[k][0] = hn::MulAdd(entry, left, product[k][0]);
      product[k][1] = hn::MulAdd(entry, right, product[k][1]);
    }
  }
  V sum[2] = {hn::LoadU(d, forms), hn::LoadU(d, forms + lanes)};
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    const double* HWY_RESTRICT row = panel + 2 * (r + k) * lanes;
    sum[0] = hn::MulAdd(product[k][0], hn::LoadU(d, row), sum[0]);
    sum[1] = hn::MulAdd(product[k][1], hn::LoadU(d, row + lanes), sum[1]);
  }
  hn::StoreU(sum[0], d, forms);
  hn::StoreU(sum[1], d, forms + lanes);
}

inline void QuadraticForms(const double* a, const double* columns, Index dim, double* scratch, double* forms) {
  constexpr Index kBlock = 4;
  const Index width = 2 * static_cast<Index>(hn::Lanes(Columns()));
  double* const sums = scratch + dim * width;
  for (Index first = 0; first < dim; first += width) {
    const Index taken = std::min(width, dim - first);
    for (Index r = 0; r < dim; ++r) {
      double* const to = scratch + r * width;
      std::copy_n(columns + r * dim + first, taken, to);
      std::fill(to + taken, to + width, 0.0);
    }
    std::fill_n(sums, width, 0.0);
    Index r = 0;
    for (; r + kBlock <= dim; r += kBlock) AddRows<kBlock>(a, scratch, dim, r, sums);
    for (; r < dim; ++r) AddRows<1>(a, scratch, dim, r, sums);
    std::copy_n(sums, taken, forms + first);
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(QuadraticForms);

Index quadratic_forms_scratch(Index dim) {
  constexpr Index widest = 16;
  return (dim + 1) * widest;
}

void quadratic_forms(const double* a, const double* columns, Index dim, double* scratch, double* forms) {
  HWY_DYNAMIC_DISPATCH(QuadraticForms)(a, columns, dim, scratch, forms);
}

}  // namespace dsk::detail
#endif
