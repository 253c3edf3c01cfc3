// One matrix against groups of others, given up early.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/nearest_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/logdet-inl.h"
#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A vector of pairs whose factor grows strip by strip of rows.
class GrowingFactor {
 public:
  using D = Lanes<double>;
  using Means = RowWithGroup<double>;
  using Method = Factorisation<double, Means, false>;

  HWY_INLINE GrowingFactor(const NearestRow& row, const NearestGroup& group, Index part, double* scratch)
      : row_(row),
        group_(group),
        part_(part),
        scratch_(scratch),
        means_{row.packed, group.packed + part},
        method_(means_, row.dim, Strips<double>{scratch}),
        determinant_(D()),
        wanted_(!hn::AllTrue(D(), hn::Gt(hn::LoadU(D(), group.bounds + part), hn::Set(D(), group.limit)))) {}

  HWY_INLINE bool Wanted() const { return wanted_; }
  HWY_INLINE void Panel(Index strip, Index panel) const { method_.RowPanel(strip, panel); }

  /// Ends a strip; afterwards it is known whether any of the pairs can still be nearer than the limit.
  HWY_INLINE void Diagonal(Index strip) {
    method_.RowDiagonal(strip, determinant_);
    rows_ = std::min(4 * strip + 4, row_.dim);
    if (rows_ == row_.dim) return;
    const D d;
    const auto halves = hn::Add(hn::Set(d, row_.leading[strip * group_size<double>]),
                                hn::Load(d, group_.leading + strip * group_size<double> + part_));
    const auto far = hn::Gt(hn::Sub(determinant_.Value(d), halves), hn::Set(d, group_.limit));
    wanted_ = !hn::AllTrue(d, hn::And(far, Trusted()));
  }

  HWY_INLINE void Finish(double* divergences, NearestOutcome& outcome) {
    const D d;
    auto values = hn::Inf(d);
    outcome.operations += rows_ == 0 ? 0 : factor_cost(rows_) * static_cast<double>(hn::Lanes(d));
    if (wanted_) {
      LogDet<double> logdet{determinant_.Value(d), Trusted()};
      Review(logdet, means_, row_.dim, scratch_);
      const auto halves = hn::Add(hn::Set(d, row_.half), hn::Load(d, group_.halves + part_));
      values = hn::Max(hn::Sub(logdet.value, halves), hn::Zero(d));
      if (!hn::AllTrue(d, logdet.positive) && outcome.failed_lane < 0)
        outcome.failed_lane = part_ + static_cast<Index>(hn::FindFirstTrue(d, hn::Not(logdet.positive)));
    }
    hn::StoreU(values, d, divergences + part_);
  }

 private:
  HWY_INLINE hn::Mask<D> Trusted() const {
    return hn::Gt(determinant_.SmallestPivot(), hn::Set(D(), Method::kTinyPivot));
  }

  const NearestRow& row_;
  const NearestGroup& group_;
  Index part_;
  double* scratch_;
  Means means_;
  Method method_;
  LogDeterminant<D> determinant_;
  bool wanted_;
  Index rows_ = 0;
};

/// Two groups in step: a factor that grows by rows is one long chain of dependent operations, two keep the processor
/// busy.
inline void SearchGroups(const NearestRow& row, const NearestGroup (&groups)[2], double* divergences, double* scratch,
                         NearestOutcome (&outcomes)[2]) {
  const Lanes<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index strips = (row.dim + 3) / 4;
  double* second_scratch = scratch + Strips<double>::vectors(row.dim) * lanes;
  for (Index part = 0; part < group_size<double>; part += lanes) {
    GrowingFactor a(row, groups[0], part, scratch), b(row, groups[1], part, second_scratch);
    for (Index strip = 0; strip < strips && (a.Wanted() || b.Wanted()); ++strip) {
      if (a.Wanted() && b.Wanted()) {
        for (Index panel = 0; panel < strip; ++panel) {
          a.Panel(strip, panel);
          b.Panel(strip, panel);
        }
        a.Diagonal(strip);
        b.Diagonal(strip);
      } else {
        GrowingFactor& only = a.Wanted() ? a : b;
        for (Index panel = 0; panel < strip; ++panel) only.Panel(strip, panel);
        only.Diagonal(strip);
      }
    }
    a.Finish(divergences, outcomes[0]);
    b.Finish(divergences + group_size<double>, outcomes[1]);
  }
}

/// Sum over j of a_jj (A^-1)_jj from the factor of A = LL' in `strips`; `columns` takes four columns of L^-1 at a time.
template <class Means>
HWY_INLINE hn::Vec<Lanes<double>> InverseTrace(const Means& means, Index dim, Strips<double> strips,
                                               double* HWY_RESTRICT columns) {
  const Lanes<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  auto trace = hn::Zero(d);
  for (Index first = 0; first < dim; first += 4) {
    for (Index i = first; i < dim; ++i) {
      hn::Vec<Lanes<double>> sum[4];
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) sum[c] = i == first + c ? hn::Set(d, -1.0) : hn::Zero(d);
      const double* HWY_RESTRICT row = strips.at(i / 4, first) + i % 4 * lanes;
      const double* HWY_RESTRICT solved = columns;
      for (Index k = first; k < i; ++k, row += 4 * lanes, solved += 4 * lanes) {
        const auto entry = hn::Load(d, row);
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) sum[c] = hn::MulAdd(entry, hn::Load(d, solved + c * lanes), sum[c]);
      }
      const auto reciprocal = hn::Neg(hn::Load(d, row));
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) {
        const auto entry = hn::Mul(sum[c], reciprocal);
        hn::Store(entry, d, columns + (4 * (i - first) + c) * lanes);
        const Index j = std::min(first + c, dim - 1);
        trace = hn::MulAdd(hn::Mul(means(triangle(j) + j), entry), entry, trace);
      }
    }
  }
  return trace;
}

inline void PrepareGroup(const double* group, Index dim, double* leading, double* inverse_traces, double* scratch) {
  const Lanes<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  using Means = GroupWithItself<double>;
  const Strips<double> strips{scratch};
  double* columns = scratch + Strips<double>::vectors(dim) * lanes;
  for (Index part = 0; part < group_size<double>; part += lanes) {
    LogDeterminant<Lanes<double>> determinant(d);
    const Means means{group + part};
    const Factorisation<double, Means, true> method(means, dim, strips);
    for (Index strip = 0; 4 * strip < dim; ++strip) {
      for (Index panel = 0; panel < strip; ++panel) method.RowPanel(strip, panel);
      method.RowDiagonal(strip, determinant);
      hn::Store(hn::Mul(hn::Set(d, 0.5), determinant.Value(d)), d, leading + strip * group_size<double> + part);
    }
    hn::StoreU(InverseTrace(means, dim, strips, columns), d, inverse_traces + part);
  }
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(SearchGroups);
HWY_EXPORT(PrepareGroup);

void nearest_groups(const NearestRow& row, const NearestGroup (&groups)[2], double* divergences, double* scratch,
                    NearestOutcome (&outcomes)[2]) {
  HWY_DYNAMIC_DISPATCH(SearchGroups)(row, groups, divergences, scratch, outcomes);
}

void prepare_group(const double* group, Index dim, double* leading, double* inverse_traces, double* scratch) {
  HWY_DYNAMIC_DISPATCH(PrepareGroup)(group, dim, leading, inverse_traces, scratch);
}

Index nearest_scratch(Index dim) {
  return 2 * factor_scratch<double>(dim) + 4 * dim * group_size<double>;
}

}  // namespace dsk::engine
#endif
