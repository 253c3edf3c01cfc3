// Singular values of products of Cholesky factors, of one matrix with two groups, one pair per lane.

#include <algorithm>

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/spectrum_tile.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/cpu/bidiagonal-inl.h"
#include "engine/cpu/packed.hpp"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {

/// The first entries of the factors of the pairs from this lane on.
HWY_INLINE const double* FactorsAt(const SpectrumGroups& groups, Index lane) {
  return groups.factors + lane / group_size<double> * triangle(groups.dim) * group_size<double> +
         lane % group_size<double>;
}

/// Entries (r + a, c + b) of A L, where A(row, k) is 0 outside First(row) <= k <= Last(row) and L, lower triangular and
/// in lanes, is 0 for k < column. Each is one sum over k in ascending order; eight of them at a time fill the
/// processor.
template <int kRows, int kColumns, class Left>
HWY_INLINE void ProductTile(const Left& left, const double* HWY_RESTRICT factors, Index r, Index c, Index dim,
                            LaneArray g) {
  const F64 d;
  Doubles sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(d);
  const auto edge = [&](Index k) HWY_ATTR {
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b)
        if (k >= c + b && left.Has(r + a, k))
          sum[a][b] = hn::MulAdd(hn::Set(d, left(r + a, k)),
                                 hn::Load(d, factors + (triangle(k) + c + b) * group_size<double>), sum[a][b]);
  };
  // Where no entry of either tile is 0.
  const Index first = std::max(c + kColumns - 1, left.First(r + kRows - 1)), last = left.Last(r);
  Index k = std::max(c, left.First(r));
  for (; k < std::min(first, left.Last(r + kRows - 1) + 1); ++k) edge(k);
  for (; k <= last; ++k) {
    const double* HWY_RESTRICT row = factors + (triangle(k) + c) * group_size<double>;
    Doubles right[kColumns];
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) right[b] = hn::Load(d, row + b * group_size<double>);
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const Doubles entry = hn::Set(d, left(r + a, k));
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::MulAdd(entry, right[b], sum[a][b]);
    }
  }
  for (; k <= left.Last(r + kRows - 1); ++k) edge(k);
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) g.set((r + a) * dim + c + b, sum[a][b]);
}

template <class Left>
HWY_INLINE void Product(const SpectrumGroups& groups, Index lane, LaneArray g) {
  constexpr int kRows = 2, kColumns = 4;
  const Index dim = groups.dim, whole_rows = dim / kRows * kRows, whole_columns = dim / kColumns * kColumns;
  const Left left{groups.left, dim};
  const double* HWY_RESTRICT factors = FactorsAt(groups, lane);
  for (Index r = 0; r < whole_rows; r += kRows) {
    for (Index c = 0; c < whole_columns; c += kColumns) ProductTile<kRows, kColumns>(left, factors, r, c, dim, g);
    for (Index c = whole_columns; c < dim; ++c) ProductTile<kRows, 1>(left, factors, r, c, dim, g);
  }
  for (Index r = whole_rows; r < dim; ++r) {
    for (Index c = 0; c < whole_columns; c += kColumns) ProductTile<1, kColumns>(left, factors, r, c, dim, g);
    for (Index c = whole_columns; c < dim; ++c) ProductTile<1, 1>(left, factors, r, c, dim, g);
  }
}

/// A packed lower triangle.
struct LowerLeft {
  const double* packed;
  Index dim;
  HWY_INLINE double operator()(Index row, Index k) const { return packed[triangle(row) + k]; }
  HWY_INLINE bool Has(Index row, Index k) const { return k <= row; }
  HWY_INLINE Index First(Index) const { return 0; }
  HWY_INLINE Index Last(Index row) const { return row; }
};

/// The transpose of one.
struct UpperLeft {
  const double* packed;
  Index dim;
  HWY_INLINE double operator()(Index row, Index k) const { return packed[triangle(k) + row]; }
  HWY_INLINE bool Has(Index row, Index k) const { return k >= row; }
  HWY_INLINE Index First(Index row) const { return row; }
  HWY_INLINE Index Last(Index) const { return dim - 1; }
};

HWY_INLINE Doubles ValueOf(SpectrumValue value, LaneArray singular_values, Index dim, Doubles offset) {
  const F64 d;
  Doubles result = hn::Zero(d);
  for (Index k = 0; k < dim; ++k) {
    const Doubles sigma = hn::Abs(singular_values[k]);
    if (value == SpectrumValue::singular_values) {
      result = hn::Add(result, sigma);
      continue;
    }
    const Doubles log_eigenvalue = hn::MulAdd(hn::Set(d, 2), hn::Log(d, sigma), offset);
    result = value == SpectrumValue::squared_logs ? hn::MulAdd(log_eigenvalue, log_eigenvalue, result)
                                                  : hn::Max(result, hn::Abs(log_eigenvalue));
  }
  return result;
}

inline void FillSpectrumGroups(const SpectrumGroups& groups, double* HWY_RESTRICT scratch, double* HWY_RESTRICT out) {
  const F64 d;
  const Index dim = groups.dim, step = static_cast<Index>(hn::Lanes(d));
  const LaneArray g(scratch), vectors = g.from(dim * dim), room = vectors.from(8 * dim);
  const Bidiagonal bidiagonals[2] = {{room, room.from(dim)}, {room.from(2 * dim), room.from(3 * dim)}};
  for (Index lane = 0; lane < groups.pairs; lane += 2 * step) {
    // A single vector of pairs has nothing at its side.
    const Index halves = lane + step < groups.pairs ? 2 : 1;
    if (halves == 1)
      for (Index k = 0; k < 2 * dim; ++k) bidiagonals[1].diagonal.set(k, hn::Zero(d));
    for (Index half = 0; half < halves; ++half) {
      // Squared singular values of L_X' L_Y, or of L_X^-1 L_Y, are the eigenvalues of X Y or X^-1 Y. Working with G in
      // place of G G' keeps the error proportional to the condition number, not to its square.
      if (groups.value == SpectrumValue::singular_values)
        Product<UpperLeft>(groups, lane + half * step, g);
      else
        Product<LowerLeft>(groups, lane + half * step, g);
      Bidiagonalise(g, dim, vectors, bidiagonals[half].diagonal, bidiagonals[half].above);
    }
    SingularValues(bidiagonals[0], bidiagonals[1], dim);
    for (Index half = 0; half < halves; ++half) {
      const Index at = lane + half * step;
      const Doubles offset = hn::Load(d, groups.log_offsets + at);
      hn::Store(ValueOf(groups.value, bidiagonals[half].diagonal, dim, offset), d, out + at);
    }
  }
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillSpectrumGroups);

Index spectrum_scratch(Index dim) {
  return (dim + spectrum_vectors) * dim * group_size<double>;
}

void spectrum_groups(const SpectrumGroups& groups, double* scratch, double* out) {
  HWY_DYNAMIC_DISPATCH(FillSpectrumGroups)(groups, scratch, out);
}

}  // namespace dsk::engine
#endif
