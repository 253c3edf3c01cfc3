// Squared affine invariant distances of one matrix with two groups, one pair per lane.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/airm_tile.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/cpu/bidiagonal-inl.h"
#include "engine/cpu/packed.hpp"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {

/// G = L_X^-1 L_Y, whose squared singular values are the eigenvalues of X^-1 Y. Working with G in place of G G' keeps
/// the error proportional to the condition number, not to its square.
HWY_INLINE void RelativeFactor(const AirmGroups& groups, Index lane, LaneArray g) {
  const F64 d;
  const Index dim = groups.dim;
  const double* HWY_RESTRICT factors =
      groups.factors + lane / group_size<double> * triangle(dim) * group_size<double> + lane % group_size<double>;
  for (Index r = 0; r < dim; ++r) {
    const double* HWY_RESTRICT inverse_row = groups.inverse_factor + triangle(r);
    for (Index c = 0; c < dim; ++c) {
      Doubles sum = hn::Zero(d);
      for (Index k = c; k <= r; ++k)
        sum =
            hn::MulAdd(hn::Set(d, inverse_row[k]), hn::Load(d, factors + (triangle(k) + c) * group_size<double>), sum);
      g.set(r * dim + c, sum);
    }
  }
}

HWY_INLINE Doubles SumOfSquaredLogs(LaneArray singular_values, Index dim, Doubles offset) {
  const F64 d;
  Doubles sum = hn::Zero(d);
  for (Index k = 0; k < dim; ++k) {
    const Doubles log_eigenvalue = hn::MulAdd(hn::Set(d, 2), hn::Log(d, hn::Abs(singular_values[k])), offset);
    sum = hn::MulAdd(log_eigenvalue, log_eigenvalue, sum);
  }
  return sum;
}

inline void FillAirmGroups(const AirmGroups& groups, double* HWY_RESTRICT scratch, double* HWY_RESTRICT out) {
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
      RelativeFactor(groups, lane + half * step, g);
      Bidiagonalise(g, dim, vectors, bidiagonals[half].diagonal, bidiagonals[half].above);
    }
    SingularValues(bidiagonals[0], bidiagonals[1], dim);
    for (Index half = 0; half < halves; ++half) {
      const Index at = lane + half * step;
      const Doubles offset = hn::Load(d, groups.log_offsets + at);
      hn::Store(SumOfSquaredLogs(bidiagonals[half].diagonal, dim, offset), d, out + at);
    }
  }
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillAirmGroups);

Index airm_scratch(Index dim) {
  return (dim + airm_vectors) * dim * group_size<double>;
}

void airm_groups(const AirmGroups& groups, double* scratch, double* out) {
  HWY_DYNAMIC_DISPATCH(FillAirmGroups)(groups, scratch, out);
}

}  // namespace dsk::engine
#endif
