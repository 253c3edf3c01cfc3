// Square roots of a run of numbers.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/square_root_tile.cpp"
#include <hwy/foreach_target.h>

#include <dsk/matrices.hpp>

#include <hwy/highway.h>

#include <cmath>

#include "engine/engine.hpp"
#include "machine/reciprocal_sqrt-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V SquareRoot(D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  // A Newton step after x / sqrt(x) gives the bits of the instruction in a quarter of its time.
  const auto usual = hn::And(hn::Ge(x, hn::Set(d, 1e-200)), hn::Le(x, hn::Set(d, 1e200)));
  if (HWY_LIKELY(hn::AllTrue(d, usual))) {
    const V reciprocal = detail::HWY_NAMESPACE::ReciprocalSqrt(d, x), root = hn::Mul(x, reciprocal);
    const V residual = hn::NegMulAdd(root, root, x);
    return hn::MulAdd(hn::Mul(hn::Set(d, 0.5), reciprocal), residual, root);
  }
#endif
  static_cast<void>(d);
  return hn::Sqrt(x);
}

inline void TakeRoots(double* HWY_RESTRICT values, Index count) {
  const hn::CappedTag<double, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(SquareRoot(d, hn::LoadU(d, values + i)), d, values + i);
  for (; i < count; ++i) values[i] = std::sqrt(values[i]);
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk {
namespace engine {

HWY_EXPORT(TakeRoots);

}  // namespace engine

void square_roots_in_place(std::span<double> values) {
  using namespace engine;
  HWY_DYNAMIC_DISPATCH(TakeRoots)(values.data(), static_cast<Index>(values.size()));
}

}  // namespace dsk
#endif
