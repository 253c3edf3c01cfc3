// Products with the few columns of a projection, several columns in the lanes of a vector.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transform/products_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "transform/products.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ColumnTag = hn::CappedTag<double, 8>;
using ColumnVector = hn::Vec<ColumnTag>;

/// Rows of a register tile, two vectors wide, chosen for the number of registers.
inline constexpr int kProductRows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

HWY_INLINE Index ColumnLanes() {
  return static_cast<Index>(hn::Lanes(ColumnTag()));
}

/// Calls panel(first column, number of vectors) for panels of two vectors, and one at the end.
template <class Panel>
HWY_INLINE void ForEachPanel(Index stride, const Panel& panel) {
  const Index lanes = ColumnLanes();
  Index column = 0;
  for (; column + 2 * lanes <= stride; column += 2 * lanes) panel(column, std::integral_constant<int, 2>());
  if (column < stride) panel(column, std::integral_constant<int, 1>());
}

/// The hardware does not see in time that short runs of a matrix follow each other: with column j, asks for one of the
/// cache lines that the rows after the next ones need up to there.
template <int kRows>
HWY_INLINE void PrefetchRows(const double* rows, Index dim, Index j) {
  constexpr Index kPerLine = 8;
  hwy::Prefetch(rows + (2 * kRows + j / (kPerLine / kRows) % kRows) * dim + j / kPerLine * kPerLine);
}

/// Rows r .. of X W, and what their entries left of the diagonal, which are those above it as well, add to the rows
/// before them. All pointers to W and the product are to the first column of the panel.
template <int kRows, int kVectors>
HWY_INLINE void MultiplySymmetricRows(const double* HWY_RESTRICT x, Index dim, Index r, const double* HWY_RESTRICT w,
                                      Index stride, double* HWY_RESTRICT product) {
  const ColumnTag d;
  const Index lanes = ColumnLanes();
  ColumnVector own[kRows][kVectors], sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      own[a][v] = hn::Load(d, w + (r + a) * stride + v * lanes);
      sum[a][v] = hn::Zero(d);
    }
  const double* HWY_RESTRICT rows = x + r * dim;
  for (Index j = 0; j < r; ++j) {
    PrefetchRows<kRows>(rows, dim, j);
    ColumnVector other[kVectors], above[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      other[v] = hn::Load(d, w + j * stride + v * lanes);
      above[v] = hn::Load(d, product + j * stride + v * lanes);
    }
#pragma GCC unroll 8
    for (int a = 0; a < kRows; ++a) {
      const ColumnVector entry = hn::Set(d, rows[a * dim + j]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        sum[a][v] = hn::MulAdd(entry, other[v], sum[a][v]);
        above[v] = hn::MulAdd(entry, own[a][v], above[v]);
      }
    }
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) hn::Store(above[v], d, product + j * stride + v * lanes);
  }
#pragma GCC unroll 8
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 8
    for (int b = 0; b <= a; ++b) {
      const ColumnVector entry = hn::Set(d, rows[a * dim + r + b]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        sum[a][v] = hn::MulAdd(entry, own[b][v], sum[a][v]);
        if (b < a) sum[b][v] = hn::MulAdd(entry, own[a][v], sum[b][v]);
      }
    }
#pragma GCC unroll 8
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[a][v], d, product + (r + a) * stride + v * lanes);
}

inline void MultiplySymmetric(const double* x, Index dim, const double* w, Index stride, double* product) {
  ForEachPanel(stride, [&](Index column, auto vectors) HWY_ATTR {
    Index r = 0;
    for (; r + kProductRows <= dim; r += kProductRows)
      MultiplySymmetricRows<kProductRows, vectors>(x, dim, r, w + column, stride, product + column);
    for (; r < dim; ++r) MultiplySymmetricRows<1, vectors>(x, dim, r, w + column, stride, product + column);
  });
}

/// Rows of a product of `terms` terms: entry(row, term) times row `term` of b. Added to what is there, or written.
template <int kRows, int kVectors, bool kAdd, class Entry>
HWY_INLINE void MultiplyRows(const Entry& entry, Index r, const double* HWY_RESTRICT b, Index terms, Index stride,
                             double* HWY_RESTRICT product) {
  const ColumnTag d;
  const Index lanes = ColumnLanes();
  ColumnVector sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v)
      sum[a][v] = kAdd ? hn::Load(d, product + (r + a) * stride + v * lanes) : hn::Zero(d);
  for (Index k = 0; k < terms; ++k) {
    ColumnVector row[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) row[v] = hn::Load(d, b + k * stride + v * lanes);
#pragma GCC unroll 8
    for (int a = 0; a < kRows; ++a) {
      const ColumnVector factor = hn::Set(d, entry(r + a, k));
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[a][v] = hn::MulAdd(factor, row[v], sum[a][v]);
    }
  }
#pragma GCC unroll 8
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[a][v], d, product + (r + a) * stride + v * lanes);
}

template <bool kAdd, class Entry>
HWY_INLINE void Multiply(const Entry& entry, Index rows, const double* b, Index terms, Index stride, double* product) {
  constexpr int kRows = 2 * kProductRows;
  ForEachPanel(stride, [&](Index column, auto vectors) HWY_ATTR {
    Index r = 0;
    for (; r + kRows <= rows; r += kRows)
      MultiplyRows<kRows, vectors, kAdd>(entry, r, b + column, terms, stride, product + column);
    for (; r < rows; ++r) MultiplyRows<1, vectors, kAdd>(entry, r, b + column, terms, stride, product + column);
  });
}

inline void MultiplyTransposed(const double* a, const double* b, Index rows, Index columns, Index stride,
                               double* product) {
  Multiply<false>([=](Index r, Index k) { return a[k * stride + r]; }, columns, b, rows, stride, product);
}

inline void AddProduct(const double* a, const double* b, Index rows, Index columns, Index stride, double* sum) {
  Multiply<true>([=](Index r, Index k) { return a[r * stride + k]; }, rows, b, columns, stride, sum);
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(MultiplySymmetric);
HWY_EXPORT(MultiplyTransposed);
HWY_EXPORT(AddProduct);

void pad_rows(const Eigen::Ref<const Matrix>& from, double* to) {
  const Index columns = from.cols(), stride = padded(columns);
  for (Index r = 0; r < from.rows(); ++r) {
    std::copy_n(from.data() + r * columns, columns, to + r * stride);
    std::fill_n(to + r * stride + columns, stride - columns, 0.0);
  }
}

AlignedArray<double> padded_rows(const Matrix& from) {
  AlignedArray<double> result(from.rows() * padded(from.cols()));
  pad_rows(from, result.data());
  return result;
}

void multiply_symmetric(const double* x, Index dim, const double* w, Index stride, double* product) {
  HWY_DYNAMIC_DISPATCH(MultiplySymmetric)(x, dim, w, stride, product);
}

void multiply_transposed(const double* a, const double* b, Index rows, Index columns, Index stride, double* product) {
  HWY_DYNAMIC_DISPATCH(MultiplyTransposed)(a, b, rows, columns, stride, product);
}

void add_product(const double* a, const double* b, Index rows, Index columns, Index stride, double* sum) {
  HWY_DYNAMIC_DISPATCH(AddProduct)(a, b, rows, columns, stride, sum);
}

}  // namespace dsk::detail
#endif
