#include "engine/engine.hpp"

#include "machine/parallel.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/exponential_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/exponential_tile-inl.h"

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
