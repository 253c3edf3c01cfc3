// Exponentials of a run of numbers.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/exponential_tile.cpp"
#include <hwy/foreach_target.h>

#include <dsk/matrices.hpp>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"

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

#if HWY_ONCE
namespace dsk {
namespace engine {

HWY_EXPORT(ExponentiateRun);

}  // namespace engine

void exponential_in_place(std::span<double> values, double factor) {
  using namespace engine;
  HWY_DYNAMIC_DISPATCH(ExponentiateRun)(values.data(), static_cast<Index>(values.size()), factor);
}

void exponential_in_place(Matrix& matrix, double factor, int threads) {
  constexpr double nanoseconds_per_entry = 1;
  const Index width = matrix.cols();
  detail::for_ranges(
      matrix.rows(), threads, static_cast<double>(width) * nanoseconds_per_entry, [&](Index first, Index last) {
        exponential_in_place({matrix.data() + first * width, static_cast<std::size_t>((last - first) * width)}, factor);
      });
}

}  // namespace dsk
#endif
