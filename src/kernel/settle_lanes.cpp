// The factor of a small positive definite matrix, and products with rows of a kernel matrix: what exact solutions of
// duals are made of.

#include <cmath>

#include "kernel/duals.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/settle_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FactorTag = hn::CappedTag<double, 8>;
using FactorVector = hn::Vec<FactorTag>;

/// The start of the vector that holds an entry.
HWY_INLINE Index VectorStart(Index at) {
  const FactorTag d;
  return at - at % static_cast<Index>(hn::Lanes(d));
}

/// Rows [first, first + height) become rows of the factor; those before them have been subtracted already.
HWY_INLINE bool FactorBlock(double* HWY_RESTRICT rows, Index first, Index height, Index stride) {
  const FactorTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = first; r < first + height; ++r) {
    double* const row = rows + r * stride;
    for (Index s = first; s < r; ++s) {
      const double* const above = rows + s * stride;
      const FactorVector factor = hn::Set(d, above[r]);
      for (Index j = VectorStart(r); j < stride; j += lanes)
        hn::Store(hn::NegMulAdd(factor, hn::Load(d, above + j), hn::Load(d, row + j)), d, row + j);
    }
    if (!(row[r] > 0)) return false;
    const FactorVector factor = hn::Set(d, 1 / std::sqrt(row[r]));
    for (Index j = VectorStart(r); j < stride; j += lanes) hn::Store(hn::Mul(factor, hn::Load(d, row + j)), d, row + j);
  }
  return true;
}

constexpr Index rows_of_block = 4;

/// Subtracts from the `Count` rows from `at` on what four rows of the factor say.
template <Index Count>
HWY_INLINE void SubtractBlock(double* HWY_RESTRICT rows, Index first, Index at, Index stride) {
  const FactorTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const double* const above = rows + first * stride;
  FactorVector factor[2][4];
  for (Index r = 0; r < Count; ++r)
    for (Index s = 0; s < rows_of_block; ++s) factor[r][s] = hn::Set(d, above[s * stride + at + r]);
  for (Index j = VectorStart(at); j < stride; j += lanes) {
    const FactorVector above0 = hn::Load(d, above + j), above1 = hn::Load(d, above + stride + j),
                       above2 = hn::Load(d, above + 2 * stride + j), above3 = hn::Load(d, above + 3 * stride + j);
    for (Index r = 0; r < Count; ++r) {
      double* const row = rows + (at + r) * stride + j;
      FactorVector sum = hn::NegMulAdd(factor[r][0], above0, hn::Load(d, row));
      sum = hn::NegMulAdd(factor[r][1], above1, sum);
      sum = hn::NegMulAdd(factor[r][2], above2, sum);
      hn::Store(hn::NegMulAdd(factor[r][3], above3, sum), d, row);
    }
  }
}

bool FactorRows(double* HWY_RESTRICT rows, Index size, Index stride) {
  for (Index first = 0; first < size; first += rows_of_block) {
    const Index height = size - first < rows_of_block ? size - first : rows_of_block;
    if (!FactorBlock(rows, first, height, stride)) return false;
    Index at = first + rows_of_block;
    for (; at + 1 < size; at += 2) SubtractBlock<2>(rows, first, at, stride);
    if (at < size) SubtractBlock<1>(rows, first, at, stride);
  }
  return true;
}

void SolveUpper(const double* HWY_RESTRICT rows, Index size, Index stride, double* HWY_RESTRICT x) {
  const FactorTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), padded = VectorStart(size + lanes - 1);
  for (Index k = size; k < padded; ++k) x[k] = 0;
  for (Index k = size - 1; k >= 0; --k) {
    const double* const row = rows + k * stride;
    const Index whole = VectorStart(k + lanes);
    FactorVector sum = hn::Zero(d);
    for (Index j = whole; j < padded; j += lanes) sum = hn::MulAdd(hn::Load(d, row + j), hn::Load(d, x + j), sum);
    double rest = x[k];
    for (Index j = k + 1; j < whole && j < size; ++j) rest -= row[j] * x[j];
    x[k] = (rest - hn::GetLane(hn::SumOfLanes(d, sum))) / row[k];
  }
}

void AddRows(const double* HWY_RESTRICT kernel, Index size, const Index* HWY_RESTRICT positions,
             const double* HWY_RESTRICT factors, Index count, double* HWY_RESTRICT sum) {
  const FactorTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), whole = VectorStart(size);
  for (Index j = 0; j < size; ++j) sum[j] = 0;
  Index k = 0;
  for (; k + 3 < count; k += 4) {
    const double *row0 = kernel + positions[k] * size, *row1 = kernel + positions[k + 1] * size,
                 *row2 = kernel + positions[k + 2] * size, *row3 = kernel + positions[k + 3] * size;
    const FactorVector factor0 = hn::Set(d, factors[k]), factor1 = hn::Set(d, factors[k + 1]),
                       factor2 = hn::Set(d, factors[k + 2]), factor3 = hn::Set(d, factors[k + 3]);
    for (Index j = 0; j < whole; j += lanes) {
      FactorVector value = hn::MulAdd(factor0, hn::LoadU(d, row0 + j), hn::Load(d, sum + j));
      value = hn::MulAdd(factor1, hn::LoadU(d, row1 + j), value);
      value = hn::MulAdd(factor2, hn::LoadU(d, row2 + j), value);
      hn::Store(hn::MulAdd(factor3, hn::LoadU(d, row3 + j), value), d, sum + j);
    }
    for (Index j = whole; j < size; ++j)
      sum[j] += factors[k] * row0[j] + factors[k + 1] * row1[j] + factors[k + 2] * row2[j] + factors[k + 3] * row3[j];
  }
  for (; k < count; ++k) {
    const double* const row = kernel + positions[k] * size;
    const FactorVector factor = hn::Set(d, factors[k]);
    for (Index j = 0; j < whole; j += lanes)
      hn::Store(hn::MulAdd(factor, hn::LoadU(d, row + j), hn::Load(d, sum + j)), d, sum + j);
    for (Index j = whole; j < size; ++j) sum[j] += factors[k] * row[j];
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(FactorRows);
HWY_EXPORT(SolveUpper);
HWY_EXPORT(AddRows);

bool factor_rows(double* rows, Index size, Index stride) {
  return HWY_DYNAMIC_DISPATCH(FactorRows)(rows, size, stride);
}

void solve_upper(const double* rows, Index size, Index stride, double* x) {
  HWY_DYNAMIC_DISPATCH(SolveUpper)(rows, size, stride, x);
}

void add_rows(const double* kernel, Index size, const Index* positions, const double* factors, Index count,
              double* sum) {
  HWY_DYNAMIC_DISPATCH(AddRows)(kernel, size, positions, factors, count, sum);
}

}  // namespace dsk::detail
#endif
