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
#include "spd/inverse_sums-inl.h"
#include "spd/shifted_inverses.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
