// An estimate of the trace of the inverse of a large matrix from its Cholesky factor, which is read once.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/inverse_trace_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "machine/transpose-inl.h"
#include "spd/spd.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Vectors z of signs, side by side, and vectors of lanes that they take.
inline constexpr Index kProbes = 8, kParts = kProbes / hn::MaxLanes(Doubles());

/// The same signs on every machine: the bits of a well mixed row number.
inline void Signs(Index row, double size, double* HWY_RESTRICT signs) {
  auto bits = (static_cast<std::uint64_t>(row) + 1) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  for (Index p = 0; p < kProbes; ++p) signs[p] = (bits >> (p + 20) & 1) != 0 ? size : -size;
}

/// Solves rows r.. of L w = z for all probes, whose solution above is there, and adds the squares of w to `squares`.
template <int kRows>
HWY_INLINE void SolveRows(const double* HWY_RESTRICT lower, Index dim, const double* HWY_RESTRICT sizes, Index r,
                          double* HWY_RESTRICT solution, hn::Vec<Doubles> (&squares)[kParts]) {
  using V = hn::Vec<Doubles>;
  const Doubles d;
  constexpr Index kLanes = hn::MaxLanes(Doubles());
  HWY_ALIGN double signs[kRows][kProbes];
  const double* HWY_RESTRICT rows[kRows];
  V sum[kRows][kParts];
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    rows[k] = lower + (r + k) * dim;
    Signs(r + k, sizes == nullptr ? 1 : sizes[r + k], signs[k]);
#pragma GCC unroll 8
    for (Index p = 0; p < kParts; ++p) sum[k][p] = hn::Load(d, signs[k] + p * kLanes);
  }
  for (Index c = 0; c < r; ++c)
#pragma GCC unroll 8
    for (Index p = 0; p < kParts; ++p) {
      const V above = hn::Load(d, solution + c * kProbes + p * kLanes);
#pragma GCC unroll 4
      for (int k = 0; k < kRows; ++k) sum[k][p] = hn::NegMulAdd(hn::Set(d, rows[k][c]), above, sum[k][p]);
    }
#pragma GCC unroll 4
  for (int k = 0; k < kRows; ++k) {
    const V reciprocal = hn::Set(d, 1 / rows[k][r + k]);
#pragma GCC unroll 8
    for (Index p = 0; p < kParts; ++p) {
#pragma GCC unroll 4
      for (int j = 0; j < k; ++j) sum[k][p] = hn::NegMulAdd(hn::Set(d, rows[k][r + j]), sum[j][p], sum[k][p]);
      sum[k][p] = hn::Mul(sum[k][p], reciprocal);
      hn::Store(sum[k][p], d, solution + (r + k) * kProbes + p * kLanes);
      squares[p] = hn::MulAdd(sum[k][p], sum[k][p], squares[p]);
    }
  }
}

inline double InverseTrace(const double* lower, Index dim, const double* sizes, double* solution) {
  const Doubles d;
  hn::Vec<Doubles> squares[kParts];
  for (Index p = 0; p < kParts; ++p) squares[p] = hn::Zero(d);
  Index r = 0;
  for (; r + 4 <= dim; r += 4) SolveRows<4>(lower, dim, sizes, r, solution, squares);
  for (; r < dim; ++r) SolveRows<1>(lower, dim, sizes, r, solution, squares);
  double largest = 0, sum = 0;
  for (Index p = 0; p < kParts; ++p) {
    largest = std::max(largest, hn::GetLane(hn::MaxOfLanes(d, squares[p])));
    sum += hn::GetLane(hn::SumOfLanes(d, squares[p]));
  }
  return sum < std::numeric_limits<double>::max() ? largest : std::numeric_limits<double>::infinity();
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(InverseTrace);

double estimate_inverse_trace(const double* lower, Index dim, const double* sizes) {
  AlignedArray<double> solution(dim * 8);
  return HWY_DYNAMIC_DISPATCH(InverseTrace)(lower, dim, sizes, solution.data());
}

bool is_surely_well_conditioned(const double* lower, Index dim, const double* sizes) {
  constexpr double safety = 100;
  const double limit = static_cast<double>(dim) * std::numeric_limits<double>::epsilon();
  return estimate_inverse_trace(lower, dim, sizes) * safety * limit < 1;
}

}  // namespace dsk::detail
#endif
