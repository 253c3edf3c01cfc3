// Householder reduction X = Q T Q' to tridiagonal T, one matrix per lane. The vectors u_i are stored in the rows of the
// lower triangle that they annihilate, from the last row to the first, so that the rest is always a leading block.

#if defined(DSK_MACHINE_TRIDIAGONAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_MACHINE_TRIDIAGONAL_INL_H_
#undef DSK_MACHINE_TRIDIAGONAL_INL_H_
#else
#define DSK_MACHINE_TRIDIAGONAL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "machine/reciprocal_sqrt-inl.h"
#include "machine/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Index = std::ptrdiff_t;

/// The widest vector of any target has so many doubles.
inline constexpr int kMostLanes = 8;

using Tag = hn::CappedTag<double, kMostLanes>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;

/// Rows of a register tile, chosen for the number of registers.
inline constexpr int kTileRows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

HWY_INLINE Index LaneCount() {
  return static_cast<Index>(hn::Lanes(Tag()));
}

HWY_INLINE V Get(const double* HWY_RESTRICT from, Index element) {
  return hn::Load(Tag(), from + element * LaneCount());
}

HWY_INLINE void Put(V value, double* HWY_RESTRICT to, Index element) {
  hn::Store(value, Tag(), to + element * LaneCount());
}

/// Interleaves `rows` rows of `size` doubles of each of `count` arrays; unused lanes repeat the last array. Works row
/// by row, so that cache lines are complete before they are evicted.
inline void Interleave(const double* from, Index rows, Index size, Index count, double* HWY_RESTRICT to) {
  const Index lanes = LaneCount();
  for (Index r = 0; r < rows; ++r, to += size * lanes)
    for (Index lane = 0; lane < lanes; ++lane) {
      const double* HWY_RESTRICT source = from + (std::min(lane, count - 1) * rows + r) * size;
      for (Index e = 0; e < size; ++e) to[e * lanes + lane] = source[e];
    }
}

/// The exponent of the power of four near `value`, within the range in which it and its reciprocal are normal.
inline int EvenExponent(double value) {
  return std::clamp(std::ilogb(value), -1000, 1000) / 2 * 2;
}

/// 2^exponent, from -1022 to 1023.
inline double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// Interleaves lower triangles. Each is divided by a power of four so that its largest diagonal entry is near 1.
inline void InterleaveScaled(const double* matrices, Index count, Index dim, double* HWY_RESTRICT triangle,
                             int* exponents) {
  const Index lanes = LaneCount();
  double factors[kMostLanes];
  for (Index lane = 0; lane < lanes; ++lane) {
    const double* x = matrices + std::min(lane, count - 1) * dim * dim;
    double largest = 0;
    for (Index r = 0; r < dim; ++r) largest = std::max(largest, x[r * dim + r]);
    exponents[lane] = EvenExponent(largest);
    factors[lane] = PowerOfTwo(-exponents[lane]);
  }
  const V factor = hn::LoadU(Tag(), factors);
  for (Index r = 0; r < dim; triangle += ++r * lanes) {
    const Index blocks = count < lanes ? 0 : std::min((r + lanes) / lanes, dim / lanes) * lanes;
    for (Index c = 0; c < blocks; c += lanes) {
      HWY_ALIGN double block[kMostLanes * kMostLanes];
      TransposeBlock(matrices + r * dim + c, dim * dim, block, lanes);
      for (Index k = 0; k < std::min(lanes, r + 1 - c); ++k) Put(hn::Mul(Get(block, k), factor), triangle, c + k);
    }
    for (Index lane = 0; lane < lanes; ++lane) {
      const double* HWY_RESTRICT row = matrices + (std::min(lane, count - 1) * dim + r) * dim;
      for (Index c = blocks; c <= r; ++c) triangle[c * lanes + lane] = row[c] * factors[lane];
    }
  }
}

/// A sum of squares below this is treated as zero, to avoid underflow; the matrices are scaled to about 1.
inline constexpr double kNegligibleSquare = 0x1p-900;

HWY_INLINE double* TriangleRow(double* triangle, Index row) {
  return triangle + row * (row + 1) / 2 * LaneCount();
}

/// Subtracts u w' + w u' from rows r.. of A and adds their part of p = A n, in a single pass over memory.
template <int kRows>
HWY_INLINE void UpdateAndMultiply(Index r, double* triangle, const double* HWY_RESTRICT u, const double* HWY_RESTRICT w,
                                  const double* HWY_RESTRICT n, double* HWY_RESTRICT p) {
  double* row[kRows];
  V ur[kRows], wr[kRows], nr[kRows], sum[kRows];
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    row[k] = TriangleRow(triangle, r + k);
    ur[k] = Get(u, r + k);
    wr[k] = Get(w, r + k);
    nr[k] = Get(n, r + k);
    sum[k] = hn::Zero(Tag());
  }
  const auto updated = [&](int k, Index column) HWY_ATTR {
    const V a = hn::NegMulAdd(ur[k], Get(w, column), Get(row[k], column));
    const V b = hn::NegMulAdd(wr[k], Get(u, column), a);
    Put(b, row[k], column);
    return b;
  };
  for (Index j = 0; j < r; ++j) {
    const V nj = Get(n, j);
    V pj = Get(p, j);
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) {
      const V a = updated(k, j);
      sum[k] = hn::MulAdd(a, nj, sum[k]);
      pj = hn::MulAdd(a, nr[k], pj);
    }
    Put(pj, p, j);
  }
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
#pragma GCC unroll 4
    for (int c = 0; c < k; ++c) {
      const V a = updated(k, r + c);
      sum[k] = hn::MulAdd(a, nr[c], sum[k]);
      sum[c] = hn::MulAdd(a, nr[k], sum[c]);
    }
    sum[k] = hn::MulAdd(updated(k, r + k), nr[k], sum[k]);
  }
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) Put(sum[k], p, r + k);
}

/// Turns x = row[0, size) into the Householder vector u with (I - beta u u') x = off e_last.
HWY_INLINE void Reflect(double* HWY_RESTRICT row, Index size, V& beta, V& off) {
  const Tag d;
  V rest = hn::Zero(d);
  for (Index j = 0; j + 1 < size; ++j) rest = hn::MulAdd(Get(row, j), Get(row, j), rest);
  const M done = hn::Lt(rest, hn::Set(d, kNegligibleSquare));
  const V last = Get(row, size - 1);
  const V square = hn::IfThenElse(done, hn::Set(d, 1.0), hn::MulAdd(last, last, rest));
  const V length = hn::CopySign(hn::Sqrt(square), last);
  off = hn::IfThenElse(done, last, hn::Neg(length));
  beta = hn::IfThenZeroElse(done, hn::Div(hn::Set(d, 1.0), hn::MulAdd(last, length, square)));
  Put(hn::Add(last, length), row, size - 1);
  if (hn::AllFalse(d, done)) return;
  for (Index j = 0; j < size; ++j) Put(hn::IfThenZeroElse(done, Get(row, j)), row, j);
}

/// diagonal[i] = T_ii, off[i] = T_i,i+1; row i of the triangle becomes u_i, beta[i] its factor. w, p: scratch.
inline void Tridiagonalise(Index dim, double* triangle, double* diagonal, double* off, double* beta, double* w,
                           double* p) {
  const Tag d;
  for (Index j = 0; j < dim; ++j) Put(hn::Zero(d), w, j);
  const double* u = w;
  for (Index i = dim - 1; i > 1; --i) {
    double* row = TriangleRow(triangle, i);
    Put(Get(row, i), diagonal, i);
    V factor, next;
    Reflect(row, i, factor, next);
    Put(factor, beta, i);
    Put(next, off, i - 1);

    Index r = 0;
    for (; r + kTileRows <= i; r += kTileRows) UpdateAndMultiply<kTileRows>(r, triangle, u, w, row, p);
    for (; r < i; ++r) UpdateAndMultiply<1>(r, triangle, u, w, row, p);
    V dot = hn::Zero(d);
    for (Index j = 0; j < i; ++j) dot = hn::MulAdd(Get(row, j), Get(p, j), dot);
    const V shift = hn::Mul(hn::Mul(hn::Set(d, 0.5), factor), hn::Mul(factor, dot));
    for (Index j = 0; j < i; ++j) Put(hn::NegMulAdd(shift, Get(row, j), hn::Mul(factor, Get(p, j))), w, j);
    u = row;

    double* above = TriangleRow(triangle, i - 1);
    const V ui = Get(u, i - 1), wi = Get(w, i - 1);
    for (Index j = 0; j < i; ++j)
      Put(hn::NegMulAdd(wi, Get(u, j), hn::NegMulAdd(ui, Get(w, j), Get(above, j))), above, j);
  }
  if (dim > 1) {
    Put(Get(triangle, 1), off, 0);
    Put(Get(triangle, 2), diagonal, 1);
  }
  const V first = hn::Mul(Get(u, 0), Get(w, 0));
  Put(hn::Sub(Get(triangle, 0), hn::Add(first, first)), diagonal, 0);
  Put(hn::Zero(d), off, dim - 1);
}

/// Subtracts beta u g' from rows r.. of Q and adds their part of p = n' Q.
template <int kRows>
HWY_INLINE void ReflectRows(Index r, Index size, Index dim, double* q, V beta, const double* HWY_RESTRICT u,
                            const double* HWY_RESTRICT g, const double* HWY_RESTRICT n, double* HWY_RESTRICT p) {
  double* row[kRows];
  V ur[kRows], nr[kRows];
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    row[k] = q + (r + k) * dim * LaneCount();
    ur[k] = hn::Mul(beta, Get(u, r + k));
    nr[k] = Get(n, r + k);
  }
  for (Index j = 0; j < size; ++j) {
    const V gj = Get(g, j);
    V pj = Get(p, j);
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) {
      const V a = hn::NegMulAdd(ur[k], gj, Get(row[k], j));
      Put(a, row[k], j);
      pj = hn::MulAdd(a, nr[k], pj);
    }
    Put(pj, p, j);
  }
}

/// Q, row-major, from the vectors that Tridiagonalise stored in the triangle. g, p: scratch.
inline void FormBasis(Index dim, double* triangle, const double* beta, double* q, double* g, double* p) {
  const Tag d;
  const V zero = hn::Zero(d);
  for (Index e = 0; e < dim * dim; ++e) Put(zero, q, e);
  for (Index j = 0; j < dim; ++j) Put(hn::Set(d, 1.0), q, j * dim + j);
  if (dim > 2) Put(Get(TriangleRow(triangle, 2), 0), g, 0);
  for (Index i = 2; i < dim; ++i) {
    const double* u = TriangleRow(triangle, i);
    const double* n = TriangleRow(triangle, std::min(i + 1, dim - 1));
    Put(Get(u, i - 1), g, i - 1);
    for (Index j = 0; j < i; ++j) Put(zero, p, j);
    Index r = 0;
    for (; r + kTileRows <= i; r += kTileRows) ReflectRows<kTileRows>(r, i, dim, q, Get(beta, i), u, g, n, p);
    for (; r < i; ++r) ReflectRows<1>(r, i, dim, q, Get(beta, i), u, g, n, p);
    std::swap(g, p);
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
