#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "describe/features/texture_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "describe/features/features.hpp"

// Sums of the texture features and of their products over a region, in one pass and without storing the features.

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Pixels = hn::CappedTag<double, 8>;
using PixelVector = hn::Vec<Pixels>;

constexpr int kFeatures = 5;

/// Sums of x - origin and of (x - origin)(x - origin)', of which the part for c <= r is used.
struct Sums {
  double origin[kFeatures];
  double sum[kFeatures];
  double product[kFeatures][kFeatures];
};

/// Some pixels of a line of the picture, and where the values of their neighbours are.
struct Neighbours {
  const double* HWY_RESTRICT left;
  const double* HWY_RESTRICT here;
  const double* HWY_RESTRICT right;
  const double* HWY_RESTRICT above;
  const double* HWY_RESTRICT below;
};

HWY_INLINE void TextureFeatures(const Neighbours& at, PixelVector (&out)[kFeatures]) {
  const Pixels d;
  const PixelVector left = hn::LoadU(d, at.left), here = hn::LoadU(d, at.here), right = hn::LoadU(d, at.right);
  const PixelVector above = hn::LoadU(d, at.above), below = hn::LoadU(d, at.below), twice = hn::Add(here, here);
  out[0] = here;
  out[1] = hn::Abs(hn::Sub(right, left));
  out[2] = hn::Abs(hn::Sub(below, above));
  out[3] = hn::Abs(hn::Sub(hn::Sub(twice, left), right));
  out[4] = hn::Abs(hn::Sub(hn::Sub(twice, above), below));
}

/// Copies of up to a vector of pixels and their neighbours, where a vector would reach beyond the region or the
/// picture.
class Copied {
 public:
  Copied(const Neighbours& line, Index x, Index count, Index width) {
    for (Index k = 0; k < count + 2; ++k) here_[k] = line.here[std::clamp<Index>(x + k - 1, 0, width - 1)];
    std::copy_n(line.above + x, count, above_);
    std::copy_n(line.below + x, count, below_);
  }
  Neighbours neighbours() const { return {here_, here_ + 1, here_ + 2, above_, below_}; }

 private:
  static constexpr Index most = 8;
  double here_[most + 2] = {}, above_[most] = {}, below_[most] = {};
};

/// Without products, it only sums the features.
template <bool kProducts>
HWY_NOINLINE void SumRegion(const Matrix& grey, const Region& region, Sums& sums) {
  const Pixels d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), width = grey.cols(), height = grey.rows();
  PixelVector origin[kFeatures], sum[kFeatures], product[kFeatures][kFeatures];
#pragma GCC unroll 5
  for (int r = 0; r < kFeatures; ++r) {
    origin[r] = hn::Set(d, sums.origin[r]);
    sum[r] = hn::Zero(d);
#pragma GCC unroll 5
    for (int c = 0; c <= r; ++c) product[r][c] = hn::Zero(d);
  }
  const auto add = [&](const PixelVector(&x)[kFeatures]) HWY_ATTR {
#pragma GCC unroll 5
    for (int r = 0; r < kFeatures; ++r) {
      sum[r] = hn::Add(sum[r], x[r]);
      if constexpr (!kProducts) continue;
#pragma GCC unroll 5
      for (int c = 0; c <= r; ++c) product[r][c] = hn::MulAdd(x[r], x[c], product[r][c]);
    }
  };
  const Index end = region.x + region.width, last_inside = std::min(end, width - 1);
  for (Index y = region.y; y < region.y + region.height; ++y) {
    const double* const here = grey.data() + y * width;
    const Neighbours line = {here, here, here, y > 0 ? here - width : here, y + 1 < height ? here + width : here};
    const auto add_copied = [&](Index x, Index count) HWY_ATTR {
      const Copied copied(line, x, count, width);
      PixelVector features[kFeatures];
      TextureFeatures(copied.neighbours(), features);
      const auto valid = hn::FirstN(d, static_cast<std::size_t>(count));
#pragma GCC unroll 5
      for (int f = 0; f < kFeatures; ++f) features[f] = hn::IfThenElseZero(valid, hn::Sub(features[f], origin[f]));
      add(features);
    };
    Index x = region.x;
    if (x == 0) {
      const Index count = std::min(lanes, region.width);
      add_copied(0, count);
      x = count;
    }
    for (; x + lanes <= last_inside; x += lanes) {
      PixelVector features[kFeatures];
      TextureFeatures({here + x - 1, here + x, here + x + 1, line.above + x, line.below + x}, features);
#pragma GCC unroll 5
      for (int f = 0; f < kFeatures; ++f) features[f] = hn::Sub(features[f], origin[f]);
      add(features);
    }
    for (; x < end; x += lanes) add_copied(x, std::min(lanes, end - x));
  }
#pragma GCC unroll 5
  for (int r = 0; r < kFeatures; ++r) {
    sums.sum[r] = hn::GetLane(hn::SumOfLanes(d, sum[r]));
    if constexpr (!kProducts) continue;
#pragma GCC unroll 5
    for (int c = 0; c <= r; ++c) sums.product[r][c] = hn::GetLane(hn::SumOfLanes(d, product[r][c]));
  }
}

/// Moves the origin to the mean of the pixels that were summed. It stays the same where all of them are equal.
HWY_INLINE void MoveToMean(Sums& sums, Index count) {
  for (int f = 0; f < kFeatures; ++f) sums.origin[f] += sums.sum[f] / static_cast<double>(count);
}

/// Whether subtracting the outer product of the sums would cost digits.
HWY_INLINE bool LosesDigits(const Sums& sums, Index count) {
  for (int f = 0; f < kFeatures; ++f) {
    const double shift = sums.sum[f] * sums.sum[f] / static_cast<double>(count);
    if (shift > 0.75 * sums.product[f][f]) return true;
  }
  return false;
}

inline TextureSums SumTexture(const Matrix& grey, const Region& region) {
  Sums sums = {};
  // Where all values of a feature are equal, the origin is exactly that value, and all sums are exactly 0.
  SumRegion<false>(grey, {region.x, region.y, 1, 1}, sums);
  MoveToMean(sums, 1);
  SumRegion<false>(grey, {region.x, region.y, region.width, 1}, sums);
  MoveToMean(sums, region.width);
  const Index count = region.width * region.height;
  SumRegion<true>(grey, region, sums);
  // The first line differs from the others by more than they vary: their mean is the better origin.
  if (LosesDigits(sums, count)) {
    MoveToMean(sums, count);
    SumRegion<true>(grey, region, sums);
  }
  TextureSums result = {};
  for (int r = 0; r < kFeatures; ++r) {
    const double mean = sums.sum[r] / static_cast<double>(count);
    result.means[r] = sums.origin[r] + mean;
    for (int c = 0; c <= r; ++c)
      result.scatter[r * kFeatures + c] = result.scatter[c * kFeatures + r] = sums.product[r][c] - mean * sums.sum[c];
  }
  return result;
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(SumTexture);

TextureSums sum_texture(const Matrix& grey, const Region& region) {
  return HWY_DYNAMIC_DISPATCH(SumTexture)(grey, region);
}

}  // namespace dsk::detail
#endif
