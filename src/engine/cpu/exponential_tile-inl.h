// Exponentials of a run of numbers.

#if defined(DSK_PAIRS_EXPONENTIAL_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_EXPONENTIAL_TILE_INL_H_
#undef DSK_PAIRS_EXPONENTIAL_TILE_INL_H_
#else
#define DSK_PAIRS_EXPONENTIAL_TILE_INL_H_
#endif

#include <dsk/matrices.hpp>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline void ExponentiateRun(double* HWY_RESTRICT values, Index count, double factor) {
  const hn::CappedTag<double, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto scale = hn::Set(d, factor);
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Exp(d, hn::Mul(scale, hn::LoadU(d, values + i))), d, values + i);
  if (i == count) return;
  // The rest goes through a full vector too: an entry's bits must not depend on its place.
  HWY_ALIGN double rest[8] = {};
  std::copy(values + i, values + count, rest);
  hn::Store(hn::Exp(d, hn::Mul(scale, hn::Load(d, rest))), d, rest);
  std::copy(rest, rest + (count - i), values + i);
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
