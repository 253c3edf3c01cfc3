// Sums of shifted inverses of one large tridiagonal matrix, one column of the inverse per vector lane.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/shifted_inverses_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "spd/shifted_inverses.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Shifts whose inverses are added in one pass over the matrix.
inline constexpr Index kShiftsTogether = 8;

/// Adds `kShiftsTogether` inverses G. Below the diagonal G_r+1,c = ratios[r] G_rc, where ratios and diagonals of all
/// shifts of one row are beside each other.
inline void AddTogether(Index dim, const double* HWY_RESTRICT ratios, const double* HWY_RESTRICT diagonals,
                        double* HWY_RESTRICT matrix) {
  const hn::CappedTag<double, eigen_group> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index first = 0; first < dim; first += lanes) {
    V column[kShiftsTogether];
#pragma GCC unroll 8
    for (Index s = 0; s < kShiftsTogether; ++s) column[s] = hn::Zero(d);
    for (Index r = first; r < dim; ++r) {
      const double* HWY_RESTRICT ratio = ratios + (r - 1) * kShiftsTogether;
      // A column starts at the diagonal, and is 0 in the lanes whose column starts further below.
      if (r > first) {
#pragma GCC unroll 8
        for (Index s = 0; s < kShiftsTogether; ++s) column[s] = hn::Mul(column[s], hn::Set(d, ratio[s]));
      }
      if (r < first + lanes) {
        const auto starts = hn::Eq(hn::Iota(d, 0), hn::Set(d, static_cast<double>(r - first)));
#pragma GCC unroll 8
        for (Index s = 0; s < kShiftsTogether; ++s)
          column[s] = hn::IfThenElse(starts, hn::Set(d, diagonals[r * kShiftsTogether + s]), column[s]);
      }
      const V sum = hn::Add(hn::Add(hn::Add(column[0], column[1]), hn::Add(column[2], column[3])),
                            hn::Add(hn::Add(column[4], column[5]), hn::Add(column[6], column[7])));
      double* const to = matrix + r * dim + first;
      if (r >= first + lanes - 1) {
        hn::StoreU(hn::Add(hn::LoadU(d, to), sum), d, to);
      } else {
        HWY_ALIGN double parts[eigen_group] = {};
        hn::Store(sum, d, parts);
        for (Index lane = 0; lane <= r - first; ++lane) to[lane] += parts[lane];
      }
    }
  }
}

inline void AddShiftedInverses(const TridiagonalView& t, const ShiftedInverseRule& rule, double* matrix) {
  const Index dim = t.dim;
  const auto count = static_cast<Index>(rule.shifts.size());
  std::vector<double> ratios(static_cast<std::size_t>(dim * kShiftsTogether)), diagonals(ratios.size());
  for (Index first = 0; first < count; first += kShiftsTogether) {
    for (Index s = 0; s < kShiftsTogether; ++s) {
      const auto k = static_cast<std::size_t>(std::min(first + s, count - 1));
      const double shift = rule.shifts[k], weight = first + s < count ? rule.weights[k] : 0;
      // T + shift = U E U' with E from the last entry to the first: no cancellation in what follows from it.
      double inverse = 0;
      for (Index i = dim - 1; i >= 0; --i) {
        const double link = i + 1 < dim ? t.off[i] : 0, ratio = -link * inverse;
        inverse = 1 / (t.diagonal[i] + shift + link * ratio);
        ratios[static_cast<std::size_t>(i * kShiftsTogether + s)] = ratio;
        diagonals[static_cast<std::size_t>(i * kShiftsTogether + s)] = inverse;
      }
      double entry = 0;
      for (Index i = 0; i < dim; ++i) {
        const double ratio = i > 0 ? ratios[static_cast<std::size_t>((i - 1) * kShiftsTogether + s)] : 0;
        double& diagonal = diagonals[static_cast<std::size_t>(i * kShiftsTogether + s)];
        entry = diagonal + ratio * ratio * entry;
        diagonal = weight * entry;
      }
    }
    AddTogether(dim, ratios.data(), diagonals.data(), matrix);
  }
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(AddShiftedInverses);

void add_shifted_inverses(const TridiagonalView& t, const ShiftedInverseRule& rule, double* matrix) {
  HWY_DYNAMIC_DISPATCH(AddShiftedInverses)(t, rule, matrix);
}

}  // namespace dsk::detail
#endif
