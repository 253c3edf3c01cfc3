// Singular values of products of Cholesky factors, of one matrix with some groups, one pair per lane.

#include <algorithm>
#include <limits>

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/spectrum_tile.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/cpu/bidiagonal-inl.h"
#include "engine/cpu/packed.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/cpu/tridiagonal_values-inl.h"
#include "machine/tridiagonal-inl.h"

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

/// The lower triangle of G G', packed. Each entry is one sum over k in ascending order; `triangular`: G is lower
/// triangular.
template <int kRows, int kColumns>
HWY_INLINE void SquareTile(LaneArray g, Index dim, bool triangular, Index r, Index c, LaneArray square) {
  const F64 d;
  Doubles sum[kRows][kColumns];
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::Zero(d);
  // What lies above the diagonal of G is 0 and may be added.
  const Index terms = triangular ? std::min(c + kColumns, dim) : dim;
  for (Index k = 0; k < terms; ++k) {
    Doubles right[kColumns];
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b) right[b] = g[(c + b) * dim + k];
#pragma GCC unroll 4
    for (int a = 0; a < kRows; ++a) {
      const Doubles left = g[(r + a) * dim + k];
#pragma GCC unroll 4
      for (int b = 0; b < kColumns; ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
    }
  }
#pragma GCC unroll 4
  for (int a = 0; a < kRows; ++a)
#pragma GCC unroll 4
    for (int b = 0; b < kColumns; ++b)
      if (c + b <= r + a) square.set(triangle(r + a) + c + b, sum[a][b]);
}

HWY_INLINE void Square(LaneArray g, Index dim, bool triangular, LaneArray square) {
  constexpr int kSide = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  Index r = 0;
  for (; r + kSide <= dim; r += kSide)
    for (Index c = 0; c <= r; c += kSide) SquareTile<kSide, kSide>(g, dim, triangular, r, c, square);
  for (; r < dim; ++r) {
    Index c = 0;
    for (; c + kSide <= r + 1; c += kSide) SquareTile<1, kSide>(g, dim, triangular, r, c, square);
    for (; c <= r; ++c) SquareTile<1, 1>(g, dim, triangular, r, c, square);
  }
}

/// Of eigenvalues of G G', or of singular values of G with any sign.
template <bool kSquared>
HWY_INLINE Doubles ValueOf(SpectrumValue value, LaneArray values, Index dim, Doubles offset) {
  const F64 d;
  Doubles result = hn::Zero(d);
  for (Index k = 0; k < dim; ++k) {
    const Doubles size = hn::Abs(values[k]);
    if (value == SpectrumValue::singular_values) {
      result = hn::Add(result, kSquared ? hn::Sqrt(size) : size);
      continue;
    }
    const Doubles log_eigenvalue = hn::MulAdd(hn::Set(d, kSquared ? 1 : 2), hn::Log(d, size), offset);
    result = value == SpectrumValue::squared_logs ? hn::MulAdd(log_eigenvalue, log_eigenvalue, result)
                                                  : hn::Max(result, hn::Abs(log_eigenvalue));
  }
  return result;
}

/// Whether the smallest eigenvalue of G G' still has the digits that the condition number of the pair leaves it, which
/// are those of the singular values of G.
HWY_INLINE Mask AreAccurate(LaneArray values, Index dim) {
  const F64 d;
  Doubles least = values[0], largest = values[0];
  for (Index k = 1; k < dim; ++k) least = hn::Min(least, values[k]), largest = hn::Max(largest, values[k]);
  // Neither NaN nor infinity passes.
  return hn::And(hn::Gt(least, hn::Mul(largest, hn::Set(d, 1e-4))),
                 hn::Lt(largest, hn::Set(d, std::numeric_limits<double>::max())));
}

/// The pairs of one call, with its scratch memory.
class SpectrumVectors {
 public:
  HWY_INLINE SpectrumVectors(const SpectrumGroups& groups, double* scratch, double* out)
      : groups_(groups),
        dim_(groups.dim),
        out_(out),
        g_(scratch),
        square_(g_.from(dim_ * dim_)),
        values_(square_.from(triangle(dim_))),
        room_(values_.from(2 * kMostVectors * dim_)) {}

  HWY_INLINE void Run() {
    const Index step = static_cast<Index>(hn::Lanes(F64()));
    for (Index lane = 0; lane < groups_.pairs; lane += kMostVectors * step) {
      const Index vectors = std::min(kMostVectors, (groups_.pairs - lane) / step);
      Index inaccurate[kMostVectors], count = 0;
      const bool converged = FromSquares(lane, vectors);
      for (Index v = 0; v < vectors; ++v)
        if (!converged || !Take(lane + v * step, Values(v))) inaccurate[count++] = lane + v * step;
      for (Index k = 0; k < count; k += 2) FromFactors(inaccurate + k, std::min<Index>(2, count - k), converged);
    }
  }

 private:
  static constexpr Index kMostVectors = 3;

  HWY_INLINE bool inverts() const { return groups_.value != SpectrumValue::singular_values; }
  HWY_INLINE LaneArray Values(Index v) const { return values_.from(2 * v * dim_); }

  /// Squared singular values of L_X' L_Y, or of L_X^-1 L_Y, are the eigenvalues of X Y or X^-1 Y.
  HWY_INLINE void MakeProduct(Index lane) const {
    if (inverts())
      Product<LowerLeft>(groups_, lane, g_);
    else
      Product<UpperLeft>(groups_, lane, g_);
  }

  /// The eigenvalues of G G', which lose the digits of the small ones.
  HWY_INLINE bool FromSquares(Index lane, Index vectors) const {
    const Index step = static_cast<Index>(hn::Lanes(F64()));
    const Tridiagonal matrices[kMostVectors] = {
        {Values(0), Values(0).from(dim_)}, {Values(1), Values(1).from(dim_)}, {Values(2), Values(2).from(dim_)}};
    for (Index v = 0; v < vectors; ++v) {
      MakeProduct(lane + v * step);
      Square(g_, dim_, inverts(), square_);
      const LaneArray beside = matrices[v].squares;
      detail::HWY_NAMESPACE::Tridiagonalise(dim_, square_.data(), matrices[v].diagonal.data(), beside.data(),
                                            room_.data(), room_.from(dim_).data(), room_.from(2 * dim_).data());
      for (Index k = 0; k + 1 < dim_; ++k) beside.set(k, hn::Mul(beside[k], beside[k]));
    }
    switch (vectors) {
      case 1:
        return TridiagonalValues<1>(matrices, dim_);
      case 2:
        return TridiagonalValues<2>(matrices, dim_);
      default:
        return TridiagonalValues<3>(matrices, dim_);
    }
  }

  /// Writes the values of the vector at `lane`. False if some lane is not accurate.
  HWY_INLINE bool Take(Index lane, LaneArray values) const {
    const F64 d;
    const Mask accurate = AreAccurate(values, dim_);
    const Doubles value = ValueOf<true>(groups_.value, values, dim_, hn::Load(d, groups_.log_offsets + lane));
    // A distance is never negative: the sign tells which are to be computed again.
    hn::Store(hn::IfThenElse(accurate, value, hn::Set(d, -1.0)), d, out_ + lane);
    return hn::AllTrue(d, accurate);
  }

  /// The singular values of G itself keep the error proportional to the condition number, not to its square. Replaces
  /// the values of one or two vectors that are not accurate, or all of them.
  HWY_INLINE void FromFactors(const Index* at, Index count, bool keep_accurate) const {
    const F64 d;
    const LaneArray vectors = room_, room = vectors.from(8 * dim_);
    const Bidiagonal bidiagonals[2] = {{room, room.from(dim_)}, {room.from(2 * dim_), room.from(3 * dim_)}};
    // A single vector of pairs has nothing at its side.
    if (count == 1)
      for (Index k = 0; k < 2 * dim_; ++k) bidiagonals[1].diagonal.set(k, hn::Zero(d));
    for (Index half = 0; half < count; ++half) {
      MakeProduct(at[half]);
      Bidiagonalise(g_, dim_, vectors, bidiagonals[half].diagonal, bidiagonals[half].above);
    }
    SingularValues(bidiagonals[0], bidiagonals[1], dim_);
    for (Index half = 0; half < count; ++half) {
      const Doubles offset = hn::Load(d, groups_.log_offsets + at[half]);
      const Doubles value = ValueOf<false>(groups_.value, bidiagonals[half].diagonal, dim_, offset);
      const Doubles before = keep_accurate ? hn::Load(d, out_ + at[half]) : hn::Set(d, -1.0);
      hn::Store(hn::IfThenElse(hn::Lt(before, hn::Zero(d)), value, before), d, out_ + at[half]);
    }
  }

  const SpectrumGroups& groups_;
  Index dim_;
  double* HWY_RESTRICT out_;
  LaneArray g_, square_, values_, room_;
};

inline void FillSpectrumGroups(const SpectrumGroups& groups, double* HWY_RESTRICT scratch, double* HWY_RESTRICT out) {
  SpectrumVectors(groups, scratch, out).Run();
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillSpectrumGroups);

Index spectrum_scratch(Index dim) {
  return (dim * dim + triangle(dim) + spectrum_vectors * dim) * group_size<double>;
}

void spectrum_groups(const SpectrumGroups& groups, double* scratch, double* out) {
  HWY_DYNAMIC_DISPATCH(FillSpectrumGroups)(groups, scratch, out);
}

}  // namespace dsk::engine
#endif
