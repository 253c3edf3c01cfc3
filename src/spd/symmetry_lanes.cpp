// Matrices beside their mirror image, in square blocks that are transposed in registers: every entry is read once.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spd/symmetry_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "machine/transpose-inl.h"
#include "spd/spd.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr Index kSide = hn::MaxLanes(Doubles());

/// What is scaled, and where the result goes; nothing is written without scales.
struct Scaling {
  const double* scales = nullptr;
  double* lower = nullptr;
};

/// One entry at a time: the rows that fill no block.
inline void ScanRows(const double* x, Index dim, Index first, Index last, const Scaling& to, SymmetryScan& scan) {
  double poison = 0;
  for (Index r = first; r < last; ++r)
    for (Index c = 0; c <= r; ++c) {
      const double a = x[r * dim + c], b = x[c * dim + r];
      poison += a * 0 + b * 0;
      scan.largest = std::max({scan.largest, std::abs(a), std::abs(b)});
      scan.asymmetry = std::max(scan.asymmetry, std::abs(b - a));
      if (to.scales != nullptr) to.lower[r * dim + c] = (a + (b - a) / 2) * to.scales[r] * to.scales[c];
    }
  if (poison != 0) scan.finite = false;
}

template <bool kScale>
HWY_INLINE void ScanBlocks(const double* HWY_RESTRICT x, Index dim, Index first, Index last, const Scaling& to,
                           SymmetryScan& scan) {
  using V = hn::Vec<Doubles>;
  const Doubles d;
  const V half = hn::Set(d, 0.5), zero = hn::Zero(d);
  // Products with zero are not zero for infinity and NaN alone.
  V largest = zero, asymmetry = zero, poison = zero;
  HWY_ALIGN double mirrored[kSide * kSide];
  const auto block = [&](Index r, Index c) HWY_ATTR {
    TransposeBlock(x + c * dim + r, dim, mirrored, kSide);
    const V column_scale = kScale ? hn::LoadU(d, to.scales + c) : zero;
#pragma GCC unroll 8
    for (Index k = 0; k < kSide; ++k) {
      const V a = hn::LoadU(d, x + (r + k) * dim + c), b = hn::Load(d, mirrored + k * kSide);
      const V difference = hn::Sub(b, a);
      poison = hn::MulAdd(a, zero, hn::MulAdd(b, zero, poison));
      largest = hn::Max(largest, hn::Max(hn::Abs(a), hn::Abs(b)));
      asymmetry = hn::Max(asymmetry, hn::Abs(difference));
      if (kScale) {
        const V scaled = hn::Mul(hn::Add(a, hn::Mul(difference, half)), hn::Set(d, to.scales[r + k]));
        hn::StoreU(hn::Mul(scaled, column_scale), d, to.lower + (r + k) * dim + c);
      }
    }
  };
  for (Index r = first; r < last; r += kSide)
    for (Index c = 0; c <= r; c += kSide) block(r, c);
  scan.largest = std::max(scan.largest, hn::GetLane(hn::MaxOfLanes(d, largest)));
  scan.asymmetry = std::max(scan.asymmetry, hn::GetLane(hn::MaxOfLanes(d, asymmetry)));
  // An infinite difference of finite numbers is no poison.
  if (!hn::AllTrue(d, hn::Eq(poison, zero))) scan.finite = false;
}

inline void Scan(const double* x, Index dim, Index first, Index last, const double* scales, double* lower,
                 SymmetryScan* scan) {
  const Scaling to{scales, lower};
  const Index whole = first + (last - first) / kSide * kSide;
  if (scales != nullptr)
    ScanBlocks<true>(x, dim, first, whole, to, *scan);
  else
    ScanBlocks<false>(x, dim, first, whole, to, *scan);
  ScanRows(x, dim, whole, last, to, *scan);
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(Scan);

void scan_symmetry(const double* x, Index dim, Index first, Index last, SymmetryScan& scan) {
  HWY_DYNAMIC_DISPATCH(Scan)(x, dim, first, last, nullptr, nullptr, &scan);
}

SymmetryScan scan_and_scale(const double* x, Index dim, const double* scales, double* lower) {
  SymmetryScan scan;
  HWY_DYNAMIC_DISPATCH(Scan)(x, dim, 0, dim, scales, lower, &scan);
  for (Index r = 0; r < dim; ++r) lower[r * dim + r] = 1;
  return scan;
}

}  // namespace dsk::detail
#endif
