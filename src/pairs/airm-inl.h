// Squared affine invariant distances of one matrix with a group, one pair per lane.
// Compiled once per SIMD target, hence the toggling include guard.

#if defined(DSK_PAIRS_AIRM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_AIRM_INL_H_
#undef DSK_PAIRS_AIRM_INL_H_
#else
#define DSK_PAIRS_AIRM_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "pairs/airm_group.hpp"
#include "pairs/bidiagonal-inl.h"
#include "pairs/packed.hpp"

#ifndef DSK_PAIRS_AIRM_VECTORS_
#define DSK_PAIRS_AIRM_VECTORS_
namespace dsk::engine {
/// Lane-vectors of length dim beside the matrix itself: those of the bidiagonalisation, and the bidiagonal.
inline constexpr Index airm_vectors = 10;
}  // namespace dsk::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {

/// G = L_X^-1 L_Y, whose squared singular values are the eigenvalues of X^-1 Y. Working with G in place of G G' keeps
/// the error proportional to the condition number, not to its square.
HWY_INLINE void RelativeFactor(const AirmGroup& group, Index part, LaneArray g) {
  const F64 d;
  const Index dim = group.dim;
  for (Index r = 0; r < dim; ++r) {
    const double* HWY_RESTRICT inverse_row = group.inverse_factor + r * (r + 1) / 2;
    for (Index c = 0; c < dim; ++c) {
      Doubles sum = hn::Zero(d);
      for (Index k = c; k <= r; ++k)
        sum = hn::MulAdd(hn::Set(d, inverse_row[k]),
                         hn::Load(d, group.factors + (k * (k + 1) / 2 + c) * group_size<double> + part), sum);
      g.set(r * dim + c, sum);
    }
  }
}

void FillAirmGroup(const AirmGroup& group, double* HWY_RESTRICT scratch, double* HWY_RESTRICT out) {
  const F64 d;
  const Index dim = group.dim;
  const LaneArray g(scratch), vectors = g.from(dim * dim), diagonal = vectors.from(8 * dim), above = diagonal.from(dim);
  for (Index part = 0; part < group_size<double>; part += static_cast<Index>(hn::Lanes(d))) {
    RelativeFactor(group, part, g);
    Bidiagonalise(g, dim, vectors, diagonal, above);
    SingularValues(diagonal, above, dim);
    const Doubles offset = hn::Load(d, group.log_offsets + part);
    Doubles sum = hn::Zero(d);
    for (Index k = 0; k < dim; ++k) {
      const Doubles log_eigenvalue = hn::MulAdd(hn::Set(d, 2), hn::Log(d, hn::Abs(diagonal[k])), offset);
      sum = hn::MulAdd(log_eigenvalue, log_eigenvalue, sum);
    }
    hn::Store(sum, d, out + part);
  }
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
