// Square blocks of doubles, transposed in registers.

#if defined(DSK_MACHINE_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_MACHINE_TRANSPOSE_INL_H_
#undef DSK_MACHINE_TRANSPOSE_INL_H_
#else
#define DSK_MACHINE_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;

/// Transposes a square block of as many rows as a vector has lanes.
HWY_INLINE void TransposeBlock(const double* HWY_RESTRICT from, std::ptrdiff_t from_stride, double* HWY_RESTRICT to,
                               std::ptrdiff_t to_stride) {
  constexpr int kLanes = hn::MaxLanes(Doubles());
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kLanes == 8 || kLanes == 4) {
    const Doubles d;
    using V = hn::Vec<Doubles>;
    V even[kLanes / 2], odd[kLanes / 2];
#pragma GCC unroll 4
    for (std::ptrdiff_t k = 0; k < kLanes / 2; ++k) {
      const V a = hn::LoadU(d, from + 2 * k * from_stride), b = hn::LoadU(d, from + (2 * k + 1) * from_stride);
      even[k] = hn::InterleaveLower(d, a, b);
      odd[k] = hn::InterleaveUpper(d, a, b);
    }
    const auto spread = [&](const V* pairs, std::ptrdiff_t first) HWY_ATTR {
      if constexpr (kLanes == 4) {
        hn::StoreU(hn::ConcatLowerLower(d, pairs[1], pairs[0]), d, to + first * to_stride);
        hn::StoreU(hn::ConcatUpperUpper(d, pairs[1], pairs[0]), d, to + (first + 2) * to_stride);
      } else {
        const V a = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(pairs[1]), pairs[0]);
        const V b = hn::OddEvenBlocks(pairs[1], hn::SwapAdjacentBlocks(pairs[0]));
        const V e = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(pairs[3]), pairs[2]);
        const V f = hn::OddEvenBlocks(pairs[3], hn::SwapAdjacentBlocks(pairs[2]));
        hn::StoreU(hn::ConcatLowerLower(d, e, a), d, to + first * to_stride);
        hn::StoreU(hn::ConcatLowerLower(d, f, b), d, to + (first + 2) * to_stride);
        hn::StoreU(hn::ConcatUpperUpper(d, e, a), d, to + (first + 4) * to_stride);
        hn::StoreU(hn::ConcatUpperUpper(d, f, b), d, to + (first + 6) * to_stride);
      }
    };
    spread(even, 0);
    spread(odd, 1);
    return;
  }
#endif
  for (std::ptrdiff_t r = 0; r < kLanes; ++r)
    for (std::ptrdiff_t c = 0; c < kLanes; ++c) to[c * to_stride + r] = from[r * from_stride + c];
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
