#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "describe/estimate/scatter_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "describe/estimate/estimators.hpp"

// Centres rows and computes sums of their products.

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Samples = hn::CappedTag<double, 8>;
using SampleVector = hn::Vec<Samples>;

inline double CentreRow(double* HWY_RESTRICT row, Index samples, Index stride) {
  const Samples d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const double first = row[0];
  std::fill(row + samples, row + stride, first);
  const SampleVector origin = hn::Set(d, first);
  SampleVector sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  Index i = 0;
  for (; i + 4 * lanes <= stride; i += 4 * lanes)
    for (Index k = 0; k < 4; ++k) sum[k] = hn::Add(sum[k], hn::Sub(hn::Load(d, row + i + k * lanes), origin));
  for (; i < stride; i += lanes) sum[0] = hn::Add(sum[0], hn::Sub(hn::Load(d, row + i), origin));
  const double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))));
  const double offset = total / static_cast<double>(samples);
  const SampleVector mean = hn::Set(d, offset);
  for (i = 0; i < stride; i += lanes) {
    const SampleVector centred = hn::Sub(hn::Sub(hn::Load(d, row + i), origin), mean);
    hn::Store(centred, d, row + i);
  }
  std::fill(row + samples, row + stride, 0.0);
  return first + offset;
}

/// Adds the dot products of kRows rows with kColumns other rows.
template <int kRows, int kColumns>
HWY_INLINE void AddProducts(const double* HWY_RESTRICT rows, const double* HWY_RESTRICT columns, Index stride,
                            Index count, double* HWY_RESTRICT sums, Index sums_stride) {
  const Samples d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  SampleVector sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int c = 0; c < kColumns; ++c) sum[r][c] = hn::Zero(d);
  for (Index i = 0; i < count; i += lanes) {
    SampleVector column[kColumns];
#pragma GCC unroll 2
    for (int c = 0; c < kColumns; ++c) column[c] = hn::Load(d, columns + c * stride + i);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const SampleVector row = hn::Load(d, rows + r * stride + i);
#pragma GCC unroll 2
      for (int c = 0; c < kColumns; ++c) sum[r][c] = hn::MulAdd(row, column[c], sum[r][c]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int c = 0; c < kColumns; ++c) sums[r * sums_stride + c] += hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
}

template <int kRows>
HWY_INLINE void AddRowBlock(const double* HWY_RESTRICT values, Index row, Index stride, Index first, Index count,
                            double* HWY_RESTRICT sums, Index dim) {
  const double* const rows = values + row * stride + first;
  Index column = 0;
  const Index columns = row + kRows;
  for (; column + 2 <= columns; column += 2)
    AddProducts<kRows, 2>(rows, values + column * stride + first, stride, count, sums + row * dim + column, dim);
  if (column < columns)
    AddProducts<kRows, 1>(rows, values + column * stride + first, stride, count, sums + row * dim + column, dim);
}

/// All dot products of a few rows in one pass, which loads each row once.
template <int kDim>
HWY_INLINE void AddAllProducts(const double* HWY_RESTRICT values, Index stride, double* HWY_RESTRICT sums) {
  const Samples d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  SampleVector sum[kDim][kDim];
#pragma GCC unroll 5
  for (int r = 0; r < kDim; ++r)
#pragma GCC unroll 5
    for (int c = 0; c <= r; ++c) sum[r][c] = hn::Zero(d);
  for (Index i = 0; i < stride; i += lanes) {
    SampleVector row[kDim];
#pragma GCC unroll 5
    for (int r = 0; r < kDim; ++r) {
      row[r] = hn::Load(d, values + r * stride + i);
#pragma GCC unroll 5
      for (int c = 0; c <= r; ++c) sum[r][c] = hn::MulAdd(row[r], row[c], sum[r][c]);
    }
  }
#pragma GCC unroll 5
  for (int r = 0; r < kDim; ++r)
#pragma GCC unroll 5
    for (int c = 0; c <= r; ++c) sums[r * kDim + c] += hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
}

inline void AddScatter(const double* values, Index dim, Index stride, double* sums) {
  if (dim == 5) return AddAllProducts<5>(values, stride, sums);
  if (dim == 4) return AddAllProducts<4>(values, stride, sums);
  constexpr Index cached = 1 << 14;  // doubles
  const Index chunk = std::max<Index>(64, cached / dim / scatter_padding * scatter_padding);
  for (Index first = 0; first < stride; first += chunk) {
    const Index count = std::min(chunk, stride - first);
    Index row = 0;
    for (; row + 4 <= dim; row += 4) AddRowBlock<4>(values, row, stride, first, count, sums, dim);
    if (dim - row == 3) AddRowBlock<3>(values, row, stride, first, count, sums, dim);
    if (dim - row == 2) AddRowBlock<2>(values, row, stride, first, count, sums, dim);
    if (dim - row == 1) AddRowBlock<1>(values, row, stride, first, count, sums, dim);
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(CentreRow);
HWY_EXPORT(AddScatter);

double centre_row(double* row, Index samples, Index stride) {
  return HWY_DYNAMIC_DISPATCH(CentreRow)(row, samples, stride);
}

void add_scatter(const double* rows, Index dim, Index stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddScatter)(rows, dim, stride, sums);
}

}  // namespace dsk::detail
#endif
