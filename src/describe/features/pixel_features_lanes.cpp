#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "describe/features/pixel_features_lanes.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "describe/features/features.hpp"

// Plain loops that are compiled for every instruction set.

HWY_BEFORE_NAMESPACE();
namespace dsk::detail::HWY_NAMESPACE {

/// Part of a line of a picture and the lines above and below.
struct Lines {
  const double* HWY_RESTRICT above;
  const double* HWY_RESTRICT here;
  const double* HWY_RESTRICT below;
  Index y;
  Index first, last;  ///< range of pixels to compute
  Index width;
};

/// Computes at(left, x, right) for the range of pixels. A pixel at the edge is its own neighbour.
template <class At>
HWY_INLINE void along(const Lines& lines, double* HWY_RESTRICT out, const At& at) {
  const Index edge = lines.width - 1, inner = std::min(lines.last, edge);
  Index x = lines.first;
  if (x == 0) {
    *out++ = at(Index{0}, Index{0}, std::min<Index>(1, edge));
    x = 1;
  }
  for (Index k = 0; k < inner - x; ++k) out[k] = at(x + k - 1, x + k, x + k + 1);
  if (lines.last > edge && edge > 0) out[inner - x] = at(edge - 1, edge, edge);
}

HWY_INLINE double dx(const Lines& l, Index left, Index right) {
  return l.here[right] - l.here[left];
}
HWY_INLINE double dy(const Lines& l, Index x) {
  return l.below[x] - l.above[x];
}
HWY_INLINE double dxx(const Lines& l, Index left, Index x, Index right) {
  return 2 * l.here[x] - l.here[left] - l.here[right];
}
HWY_INLINE double dyy(const Lines& l, Index x) {
  return 2 * l.here[x] - l.above[x] - l.below[x];
}
HWY_INLINE double dxy(const Lines& l, Index left, Index right) {
  return l.below[right] - l.below[left] - l.above[right] + l.above[left];
}

template <auto kAt>
void feature(const Matrix& grey, const Region& region, double* out) {
  const Index width = grey.cols(), height = grey.rows();
  for (Index y = region.y; y < region.y + region.height; ++y, out += region.width) {
    const double* const here = grey.data() + y * width;
    const Lines lines = {.above = y > 0 ? here - width : here,
                         .here = here,
                         .below = y + 1 < height ? here + width : here,
                         .y = y,
                         .first = region.x,
                         .last = region.x + region.width,
                         .width = width};
    along(lines, out, [&](Index left, Index x, Index right) { return kAt(lines, left, x, right); });
  }
}

struct KnownFeature {
  std::string_view name;
  PixelFeature feature;
};

using L = const Lines&;

constexpr KnownFeature known_features[] = {
    {"intensity", feature<[](L l, Index, Index x, Index) { return l.here[x]; }>},
    {"x", feature<[](L, Index, Index x, Index) { return static_cast<double>(x); }>},
    {"y", feature<[](L l, Index, Index, Index) { return static_cast<double>(l.y); }>},
    {"dx", feature<[](L l, Index left, Index, Index right) { return dx(l, left, right); }>},
    {"dy", feature<[](L l, Index, Index x, Index) { return dy(l, x); }>},
    {"dxx", feature<[](L l, Index left, Index x, Index right) { return dxx(l, left, x, right); }>},
    {"dyy", feature<[](L l, Index, Index x, Index) { return dyy(l, x); }>},
    {"dxy", feature<[](L l, Index left, Index, Index right) { return dxy(l, left, right); }>},
    {"abs-dx", feature<[](L l, Index left, Index, Index right) { return std::abs(dx(l, left, right)); }>},
    {"abs-dy", feature<[](L l, Index, Index x, Index) { return std::abs(dy(l, x)); }>},
    {"abs-dxx", feature<[](L l, Index left, Index x, Index right) { return std::abs(dxx(l, left, x, right)); }>},
    {"abs-dyy", feature<[](L l, Index, Index x, Index) { return std::abs(dyy(l, x)); }>},
    {"abs-dxy", feature<[](L l, Index left, Index, Index right) { return std::abs(dxy(l, left, right)); }>},
    {"magnitude", feature<[](L l, Index left, Index x, Index right) {
       const double across = dx(l, left, right), down = dy(l, x);
       return std::sqrt(across * across + down * down);
     }>},
    {"angle", feature<[](L l, Index left, Index x, Index right) {
       return std::atan2(std::abs(dy(l, x)), std::abs(dx(l, left, right)));
     }>},
};

inline PixelFeature FindPixelFeature(std::string_view name) {
  for (const KnownFeature& known : known_features)
    if (known.name == name) return known.feature;
  return nullptr;
}

}  // namespace dsk::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(FindPixelFeature);

PixelFeature pixel_feature(std::string_view name) {
  return HWY_DYNAMIC_DISPATCH(FindPixelFeature)(name);
}

}  // namespace dsk::detail
#endif
