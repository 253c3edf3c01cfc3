// The inner loops of support vector machines: products of rows in single precision with vectors in double precision,
// which train linear ones, and decision values and votes of the machines of all pairs of classes, for a block of rows
// that lie in the lanes of vectors.

#include "classify/dual_descent.hpp"
#include "classify/pairwise_svm.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/svm_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using RowTag = hn::CappedTag<double, 8>;
using HalfTag = hn::Rebind<float, RowTag>;
using RowVector = hn::Vec<RowTag>;

inline double DotRow(const float* HWY_RESTRICT x, const double* HWY_RESTRICT w, Index padded) {
  const RowTag d;
  const HalfTag half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  RowVector even = hn::Zero(d), odd = hn::Zero(d);
  for (Index i = 0; i < padded; i += 2 * lanes) {
    even = hn::MulAdd(hn::PromoteTo(d, hn::Load(half, x + i)), hn::Load(d, w + i), even);
    odd = hn::MulAdd(hn::PromoteTo(d, hn::Load(half, x + i + lanes)), hn::Load(d, w + i + lanes), odd);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

inline void AddRow(double factor, const float* HWY_RESTRICT x, double* HWY_RESTRICT w, Index padded) {
  const RowTag d;
  const HalfTag half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const RowVector times = hn::Set(d, factor);
  for (Index i = 0; i < padded; i += lanes)
    hn::Store(hn::MulAdd(times, hn::PromoteTo(d, hn::Load(half, x + i)), hn::Load(d, w + i)), d, w + i);
}

using VoteTag = hn::CappedTag<double, 8>;
using VoteVector = hn::Vec<VoteTag>;

/// Of the rows from `row` on, for one pair of classes.
inline VoteVector DecidePair(const PairCoefficients& machines, const double* HWY_RESTRICT kernel, Index stride,
                             Index pair, Index row) {
  const VoteTag d;
  VoteVector sum = hn::Set(d, machines.offsets[pair]);
  for (int k = machines.starts[pair]; k < machines.starts[pair + 1]; ++k)
    sum = hn::MulAdd(hn::Set(d, machines.values[k]), hn::Load(d, kernel + machines.positions[k] * stride + row), sum);
  return sum;
}

inline void DecideRows(const PairCoefficients& machines, const double* HWY_RESTRICT kernel, Index stride,
                       double* HWY_RESTRICT decisions) {
  const VoteTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), pairs = machines.classes * (machines.classes - 1) / 2;
  for (Index pair = 0; pair < pairs; ++pair)
    for (Index row = 0; row < stride; row += lanes)
      hn::Store(DecidePair(machines, kernel, stride, pair, row), d, decisions + pair * stride + row);
}

inline void CountWins(const PairCoefficients& machines, const double* HWY_RESTRICT kernel, Index stride,
                      double* HWY_RESTRICT won) {
  const VoteTag d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const VoteVector one = hn::Set(d, 1);
  Index pair = 0;
  for (Index a = 0; a < machines.classes; ++a)
    for (Index b = a + 1; b < machines.classes; ++b, ++pair)
      for (Index row = 0; row < stride; row += lanes) {
        const VoteVector decision = DecidePair(machines, kernel, stride, pair, row);
        const VoteVector of_first = hn::IfThenElseZero(hn::Gt(decision, hn::Zero(d)), one);
        double* const first = won + a * stride + row;
        double* const second = won + b * stride + row;
        hn::Store(hn::Add(hn::Load(d, first), of_first), d, first);
        hn::Store(hn::Add(hn::Load(d, second), hn::Sub(one, of_first)), d, second);
      }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(DotRow);
HWY_EXPORT(AddRow);
HWY_EXPORT(DecideRows);
HWY_EXPORT(CountWins);

double dot_row(const float* x, const double* w, Index padded) {
  return HWY_DYNAMIC_DISPATCH(DotRow)(x, w, padded);
}

void add_row(double factor, const float* x, double* w, Index padded) {
  HWY_DYNAMIC_DISPATCH(AddRow)(factor, x, w, padded);
}

void decide_rows(const PairCoefficients& machines, const double* kernel, Index stride, double* decisions) {
  HWY_DYNAMIC_DISPATCH(DecideRows)(machines, kernel, stride, decisions);
}

void count_wins(const PairCoefficients& machines, const double* kernel, Index stride, double* won) {
  HWY_DYNAMIC_DISPATCH(CountWins)(machines, kernel, stride, won);
}

}  // namespace dsk::detail
#endif
