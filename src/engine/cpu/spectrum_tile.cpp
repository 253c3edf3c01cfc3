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

/// G = L_X^-1 L_Y, whose squared singular values are the eigenvalues of X^-1 Y. Working with G in place of G G' keeps
/// the error proportional to the condition number, not to its square.
HWY_INLINE void RelativeFactor(const SpectrumGroups& groups, Index lane, LaneArray g) {
  const F64 d;
  const Index dim = groups.dim;
  const double* HWY_RESTRICT factors = FactorsAt(groups, lane);
  for (Index r = 0; r < dim; ++r) {
    const double* HWY_RESTRICT inverse_row = groups.left + triangle(r);
    for (Index c = 0; c < dim; ++c) {
      Doubles sum = hn::Zero(d);
      for (Index k = c; k <= r; ++k)
        sum =
            hn::MulAdd(hn::Set(d, inverse_row[k]), hn::Load(d, factors + (triangle(k) + c) * group_size<double>), sum);
      g.set(r * dim + c, sum);
    }
  }
}

/// G = L_X' L_Y.
HWY_INLINE void FactorProduct(const SpectrumGroups& groups, Index lane, LaneArray g) {
  const F64 d;
  const Index dim = groups.dim;
  const double* HWY_RESTRICT factors = FactorsAt(groups, lane);
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c < dim; ++c) {
      Doubles sum = hn::Zero(d);
      for (Index k = std::max(r, c); k < dim; ++k)
        sum = hn::MulAdd(hn::Set(d, groups.left[triangle(k) + r]),
                         hn::Load(d, factors + (triangle(k) + c) * group_size<double>), sum);
      g.set(r * dim + c, sum);
    }
}

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
      if (groups.value == SpectrumValue::singular_values)
        FactorProduct(groups, lane + half * step, g);
      else
        RelativeFactor(groups, lane + half * step, g);
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
