// Functions of positive definite matrices without eigenvectors, one matrix per vector lane: X = Q T Q' with T
// tridiagonal, f(T) as a sum of inverses of T + t, whose entries cost one product each, and Q f(T) Q'.

#if defined(DSK_SPD_FUNCTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_SPD_FUNCTION_INL_H_
#undef DSK_SPD_FUNCTION_INL_H_
#else
#define DSK_SPD_FUNCTION_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>

#include <cmath>

#include "machine/tridiagonal-inl.h"
#include "spd/shifted_inverses.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Shifts whose inverses are added in one pass over f(T).
inline constexpr int kShifts = 8;

/// Bounds of the eigenvalues of T in each lane, and infinity as the upper one where T is not positive definite, or
/// diagonal: functions of diagonal matrices are exact if they are taken of the entries.
inline void BoundSpectrum(Index dim, const double* HWY_RESTRICT diagonal, const double* HWY_RESTRICT off,
                          double* HWY_RESTRICT ratios, double* HWY_RESTRICT lower, double* HWY_RESTRICT upper) {
  const Tag d;
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  // T = U E U' and ratios[i] = -T_i,i+1 / E_i+1. In the inverse G, G_i,j+1 = ratios[j] G_ij from the diagonal on, and
  // G_i+1,i+1 = 1 / E_i+1 + ratios[i]^2 G_ii, a sum without cancellation.
  M positive = hn::Eq(zero, zero), diagonal_only = positive;
  V inverse = zero, highest = zero, before = zero;
  double* inverses = ratios + dim * LaneCount();
  for (Index i = dim - 1; i >= 0; --i) {
    const V link = Get(off, i), ratio = hn::Neg(hn::Mul(link, inverse));
    const V pivot = hn::MulAdd(link, ratio, Get(diagonal, i));
    positive = hn::And(positive, hn::Gt(pivot, zero));
    diagonal_only = hn::And(diagonal_only, hn::Eq(link, zero));
    inverse = hn::Div(one, pivot);
    Put(ratio, ratios, i);
    Put(inverse, inverses, i);
    const V reach = hn::Add(hn::Abs(link), i > 0 ? hn::Abs(Get(off, i - 1)) : zero);
    highest = hn::Max(highest, hn::Add(hn::Abs(Get(diagonal, i)), reach));
  }
  // The norm of the inverse, `before` being the sum of squares left of the diagonal of a row.
  V entry = inverse, squares = zero;
  for (Index i = 0; i < dim; ++i) {
    if (i > 0) {
      const V ratio = Get(ratios, i - 1), square = hn::Mul(ratio, ratio);
      before = hn::Mul(square, hn::MulAdd(entry, entry, before));
      entry = hn::MulAdd(square, entry, Get(inverses, i));
    }
    squares = hn::Add(squares, hn::MulAdd(entry, entry, hn::Add(before, before)));
  }
  Put(hn::Div(one, hn::Sqrt(squares)), lower, 0);
  Put(hn::IfThenElse(hn::AndNot(diagonal_only, positive), highest, hn::Set(d, HUGE_VAL)), upper, 0);
}

/// Adds sum_s weights[s] (T + shifts[s])^-1 to the lower triangle, for kShifts shifts. ratios: scratch.
inline void AddInverses(Index dim, const double* HWY_RESTRICT diagonal, const double* HWY_RESTRICT off,
                        const double* HWY_RESTRICT shifts, const double* HWY_RESTRICT weights,
                        double* HWY_RESTRICT ratios, double* triangle) {
  const Tag d;
  double* HWY_RESTRICT inverses = ratios + kShifts * dim * LaneCount();
  V entry[kShifts];
#pragma GCC unroll 8
  for (int s = 0; s < kShifts; ++s) entry[s] = hn::Zero(d);
  for (Index i = dim - 1; i >= 0; --i) {
    const V link = Get(off, i), a = Get(diagonal, i);
#pragma GCC unroll 8
    for (int s = 0; s < kShifts; ++s) {
      const V ratio = hn::Neg(hn::Mul(link, entry[s]));
      entry[s] = hn::Div(hn::Set(d, 1.0), hn::MulAdd(link, ratio, hn::Add(a, Get(shifts, s))));
      Put(ratio, ratios, i * kShifts + s);
      Put(hn::Mul(entry[s], Get(weights, s)), inverses, i * kShifts + s);
    }
  }
#pragma GCC unroll 8
  for (int s = 0; s < kShifts; ++s) entry[s] = Get(inverses, s);
  for (Index i = 0;; ++i) {
    V along[kShifts];
#pragma GCC unroll 8
    for (int s = 0; s < kShifts; ++s) along[s] = entry[s];
    double* to = TriangleRow(triangle, i);
    for (Index j = i;; ++j) {
      const V sum = hn::Add(hn::Add(hn::Add(along[0], along[1]), hn::Add(along[2], along[3])),
                            hn::Add(hn::Add(along[4], along[5]), hn::Add(along[6], along[7])));
      Put(hn::Add(Get(to, i), sum), to, i);
      if (j + 1 == dim) break;
#pragma GCC unroll 8
      for (int s = 0; s < kShifts; ++s) along[s] = hn::Mul(along[s], Get(ratios, j * kShifts + s));
      to += (j + 1) * LaneCount();
    }
    if (i + 1 == dim) break;
#pragma GCC unroll 8
    for (int s = 0; s < kShifts; ++s) {
      const V ratio = Get(ratios, i * kShifts + s);
      entry[s] = hn::MulAdd(hn::Mul(ratio, ratio), entry[s], Get(inverses, (i + 1) * kShifts + s));
    }
  }
}

/// Up to this size, the leading and trailing minors of T + t are within the range of double for all shifts.
inline constexpr Index kLargestByMinors = 16;

/// The size rounded up to whole tiles.
inline constexpr Index Padded(Index dim) {
  return (dim + kTileRows - 1) / kTileRows * kTileRows;
}

/// For kCount shifts from `first` on: trailing[j] = the minor of rows j + 1.. of T + t, and leading[i] = that of rows
/// 0..i - 1 times weight / det(T + t). Each of the minors costs two products; there is one division per shift.
template <int kCount>
HWY_INLINE void FillMinors(Index dim, Index used, Index first, const double* HWY_RESTRICT diagonal,
                           const double* HWY_RESTRICT off, const double* HWY_RESTRICT shifts,
                           const double* HWY_RESTRICT weights, double* HWY_RESTRICT leading,
                           double* HWY_RESTRICT trailing) {
  const Tag d;
  V shift[kCount], here[kCount], before[kCount];
  const auto step = [&](Index i, V square) HWY_ATTR {
    const V entry = Get(diagonal, i);
#pragma GCC unroll 8
    for (int s = 0; s < kCount; ++s) {
      const V next = hn::NegMulAdd(square, before[s], hn::Mul(hn::Add(entry, shift[s]), here[s]));
      before[s] = here[s];
      here[s] = next;
    }
  };
  const auto square_at = [&](Index i) HWY_ATTR { return hn::Mul(Get(off, i), Get(off, i)); };
  const V zero = hn::Zero(d);
#pragma GCC unroll 8
  for (int s = 0; s < kCount; ++s) {
    shift[s] = Get(shifts, first + s);
    before[s] = zero;
    here[s] = hn::Set(d, 1.0);
  }
  for (Index j = dim - 1; j >= 0; --j) {
#pragma GCC unroll 8
    for (int s = 0; s < kCount; ++s) Put(here[s], trailing, j * used + first + s);
    step(j, j + 1 < dim ? square_at(j) : zero);
  }
#pragma GCC unroll 8
  for (int s = 0; s < kCount; ++s) {
    here[s] = hn::Div(Get(weights, first + s), here[s]);
    before[s] = zero;
  }
  for (Index i = 0; i < dim; ++i) {
#pragma GCC unroll 8
    for (int s = 0; s < kCount; ++s) Put(here[s], leading, i * used + first + s);
    step(i, i > 0 ? square_at(i - 1) : zero);
  }
}

/// Sets the lower triangle to sum_s weights[s] (T + shifts[s])^-1 for `used` shifts, a multiple of 4. In an inverse,
/// the entry (i, j), i <= j, is the product of the leading minor before i, of the trailing minor behind j and of the
/// entries -T_k,k+1 between them, over the determinant. minors: scratch.
inline void SumInverses(Index dim, Index used, const double* HWY_RESTRICT diagonal, const double* HWY_RESTRICT off,
                        const double* HWY_RESTRICT shifts, const double* HWY_RESTRICT weights,
                        double* HWY_RESTRICT minors, double* triangle) {
  const Tag d;
  constexpr int kTile = kTileRows;
  const Index padded = Padded(dim);
  double* HWY_RESTRICT leading = minors;
  double* HWY_RESTRICT trailing = leading + padded * used * LaneCount();
  for (Index e = dim * used; e < padded * used; ++e) {
    Put(hn::Zero(d), leading, e);
    Put(hn::Zero(d), trailing, e);
  }
  Index first = 0;
  for (; first + 8 <= used; first += 8)
    FillMinors<8>(dim, used, first, diagonal, off, shifts, weights, leading, trailing);
  if (first < used) FillMinors<4>(dim, used, first, diagonal, off, shifts, weights, leading, trailing);
  for (Index i = 0; i < padded; i += kTile)
    for (Index j = i; j < padded; j += kTile) {
      V sum[kTile][kTile];
#pragma GCC unroll 4
      for (int a = 0; a < kTile; ++a)
#pragma GCC unroll 4
        for (int b = 0; b < kTile; ++b) sum[a][b] = hn::Zero(d);
      for (Index s = 0; s < used; ++s) {
        V right[kTile];
#pragma GCC unroll 4
        for (int b = 0; b < kTile; ++b) right[b] = Get(trailing, (j + b) * used + s);
#pragma GCC unroll 4
        for (int a = 0; a < kTile; ++a) {
          const V left = Get(leading, (i + a) * used + s);
#pragma GCC unroll 4
          for (int b = 0; b < kTile; ++b) sum[a][b] = hn::MulAdd(left, right[b], sum[a][b]);
        }
      }
#pragma GCC unroll 4
      for (int a = 0; a < kTile; ++a)
#pragma GCC unroll 4
        for (int b = 0; b < kTile; ++b)
          if (i + a <= j + b && j + b < dim) Put(sum[a][b], TriangleRow(triangle, j + b), i + a);
    }
  for (Index i = 0; i < dim; ++i) {
    V between = hn::Set(d, 1.0);
    for (Index j = i + 1; j < dim; ++j) {
      between = hn::Neg(hn::Mul(between, Get(off, j - 1)));
      double* const row = TriangleRow(triangle, j);
      Put(hn::Mul(Get(row, i), between), row, i);
    }
  }
}

/// Subtracts w u' from columns 0 to size - 1 of rows r.. of F and sets p = F n for those rows, n being one longer.
template <int kRows>
HWY_INLINE void UpdateBelow(Index r, Index size, double* triangle, const double* HWY_RESTRICT u,
                            const double* HWY_RESTRICT w, const double* HWY_RESTRICT n, double* HWY_RESTRICT p) {
  double* row[kRows];
  V wr[kRows], sum[kRows];
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    row[k] = TriangleRow(triangle, r + k);
    wr[k] = Get(w, r + k);
    sum[k] = hn::Mul(Get(row[k], size), Get(n, size));
  }
  for (Index j = 0; j < size; ++j) {
    const V uj = Get(u, j), nj = Get(n, j);
#pragma GCC unroll 4
    for (int k = 0; k < kRows; ++k) {
      const V a = hn::NegMulAdd(wr[k], uj, Get(row[k], j));
      Put(a, row[k], j);
      sum[k] = hn::MulAdd(a, nj, sum[k]);
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) Put(sum[k], p, r + k);
}

/// F, a lower triangle, becomes Q F Q', with Q as Tridiagonalise left it in `vectors` and `beta`. w, p: scratch.
inline void TransformBack(Index dim, double* vectors, const double* beta, double* f, double* w, double* p) {
  const Tag d;
  const V zero = hn::Zero(d);
  if (dim < 3) return;
  for (Index j = 0; j < dim; ++j) Put(zero, w, j);
  const double* u = w;
  for (Index i = 2; i <= dim; ++i) {
    // Reflection i - 1 is applied, with u of size i - 1, while the product with the vector n of the next is formed.
    double* n = i < dim ? TriangleRow(vectors, i) : w;
    if (i < dim) Put(zero, n, i);
    Index r = 0;
    for (; r + kTileRows <= i; r += kTileRows) UpdateAndMultiply<kTileRows>(r, f, u, w, n, p);
    for (; r < i; ++r) UpdateAndMultiply<1>(r, f, u, w, n, p);
    if (i == dim) return;
    for (; r + kTileRows <= dim; r += kTileRows) UpdateBelow<kTileRows>(r, i - 1, f, u, w, n, p);
    for (; r < dim; ++r) UpdateBelow<1>(r, i - 1, f, u, w, n, p);
    const V factor = Get(beta, i);
    V dot = zero;
    for (Index j = 0; j < i; ++j) dot = hn::MulAdd(Get(n, j), Get(p, j), dot);
    const V shift = hn::Mul(hn::Mul(hn::Set(d, 0.5), factor), hn::Mul(factor, dot));
    for (Index j = 0; j < i; ++j) Put(hn::NegMulAdd(shift, Get(n, j), hn::Mul(factor, Get(p, j))), w, j);
    for (Index j = i; j < dim; ++j) Put(hn::Mul(factor, Get(p, j)), w, j);
    u = n;
  }
}

/// The shifts and weights of one lane, `filled` of each, those behind the rule's with weight 0. Returns the constant
/// that is added to the diagonal, but for the logarithm of the centre.
inline double FillRule(SpectralFunction function, const ShiftedInverseRule& rule, double centre, Index filled,
                       double* HWY_RESTRICT shifts, double* HWY_RESTRICT weights) {
  const Index lanes = LaneCount();
  const double scale = function == SpectralFunction::logarithm      ? 1
                       : function == SpectralFunction::inverse_root ? 1 / std::sqrt(centre)
                                                                    : std::sqrt(centre);
  const auto count = static_cast<Index>(rule.shifts.size());
  for (Index s = 0; s < count; ++s) {
    shifts[s * lanes] = centre * rule.shifts[static_cast<std::size_t>(s)];
    weights[s * lanes] = scale * centre * rule.weights[static_cast<std::size_t>(s)];
  }
  for (Index s = count; s < filled; ++s) {
    shifts[s * lanes] = 1;
    weights[s * lanes] = 0;
  }
  return scale * rule.constant;
}

/// Divides each triangle by a power of four so that its largest diagonal entry is near 1.
inline void Rescale(Index dim, double* triangle, int* exponents) {
  const Tag d;
  V largest = Get(triangle, 0);
  for (Index r = 1; r < dim; ++r) largest = hn::Max(largest, Get(TriangleRow(triangle, r), r));
  HWY_ALIGN double factors[eigen_group];
  hn::Store(largest, d, factors);
  for (Index lane = 0; lane < LaneCount(); ++lane) {
    exponents[lane] = EvenExponent(factors[lane]);
    factors[lane] = PowerOfTwo(-exponents[lane]);
  }
  const V factor = hn::Load(d, factors);
  for (Index e = 0; e < dim * (dim + 1) / 2; ++e) Put(hn::Mul(factor, Get(triangle, e)), triangle, e);
}

/// The parts of the scratch memory.
struct FunctionMemory {
  double *triangle, *f, *diagonal, *off, *beta, *w, *p, *ratios, *shifts, *weights;
  double* rest;

  FunctionMemory(Index dim, double* scratch) {
    const Index stride = dim * LaneCount();
    triangle = scratch;
    f = triangle + stride * (dim + 1) / 2;
    diagonal = f + stride * (dim + 1) / 2;
    off = diagonal + stride;
    beta = off + stride;
    w = beta + stride;
    p = w + stride;
    ratios = p + stride;
    shifts = ratios + 2 * kShifts * stride;
    weights = shifts + most_shifts * LaneCount();
    rest = weights + most_shifts * LaneCount();
  }
};

/// f becomes the function of the matrices in `triangle`, whose largest diagonal entries are near 1. The conditions of
/// the first `taken` lanes are written. Returns the lanes among them, as bits, for which f is not to be used.
inline unsigned FunctionOfTriangles(SpectralFunction function, Index dim, Index taken, const FunctionMemory& memory,
                                    double* conditions) {
  const Index lanes = LaneCount();
  Tridiagonalise(dim, memory.triangle, memory.diagonal, memory.off, memory.beta, memory.w, memory.p);
  HWY_ALIGN double lower[eigen_group], upper[eigen_group], constants[eigen_group];
  BoundSpectrum(dim, memory.diagonal, memory.off, memory.ratios, lower, upper);
  const ShiftedInverseRule* rules[eigen_group];
  unsigned refused = 0;
  Index used = 0;
  for (Index lane = 0; lane < lanes; ++lane) {
    double condition = upper[lane] / lower[lane];
    if (!(condition <= largest_rule_condition)) {
      if (lane < taken) refused |= 1U << lane;
      lower[lane] = upper[lane] = condition = 1;
    }
    if (lane < taken) conditions[lane] = condition;
    rules[lane] = &shifted_inverse_rule(function, condition);
    used = std::max(used, static_cast<Index>(rules[lane]->shifts.size()));
  }
  used = (used + kShifts / 2 - 1) / (kShifts / 2) * (kShifts / 2);
  const Index filled = (used + kShifts - 1) / kShifts * kShifts;
  const Tag d;
  const V centre = hn::Sqrt(hn::Mul(hn::Load(d, lower), hn::Load(d, upper)));
  HWY_ALIGN double centres[eigen_group];
  hn::Store(centre, d, centres);
  for (Index lane = 0; lane < lanes; ++lane)
    constants[lane] =
        FillRule(function, *rules[lane], centres[lane], filled, memory.shifts + lane, memory.weights + lane);
  if (dim <= kLargestByMinors) {
    SumInverses(dim, used, memory.diagonal, memory.off, memory.shifts, memory.weights, memory.rest, memory.f);
  } else {
    for (Index e = 0; e < dim * (dim + 1) / 2; ++e) Put(hn::Zero(d), memory.f, e);
    for (Index s = 0; s < used; s += kShifts)
      AddInverses(dim, memory.diagonal, memory.off, memory.shifts + s * lanes, memory.weights + s * lanes,
                  memory.ratios, memory.f);
  }
  V constant = hn::Load(d, constants);
  if (function == SpectralFunction::logarithm) constant = hn::Add(constant, hn::Log(d, centre));
  for (Index r = 0; r < dim; ++r) Put(hn::Add(constant, Get(TriangleRow(memory.f, r), r)), TriangleRow(memory.f, r), r);
  TransformBack(dim, memory.triangle, memory.beta, memory.f, memory.w, memory.p);
  return refused;
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
