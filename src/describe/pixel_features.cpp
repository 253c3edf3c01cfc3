#include "describe/pixel_features.hpp"

#include <algorithm>
#include <cmath>

namespace dsk::detail {
namespace {

/// out[x] = at(left, x, right), where the neighbours of a pixel at the edge are the pixel itself.
template <class At>
void along(Index width, double* out, const At& at) {
  const Index last = width - 1;
  out[0] = at(Index{0}, Index{0}, std::min<Index>(1, last));
  for (Index x = 1; x < last; ++x) out[x] = at(x - 1, x, x + 1);
  if (last > 0) out[last] = at(last - 1, last, last);
}

double dx(const Lines& l, Index left, Index right) {
  return l.here[right] - l.here[left];
}
double dy(const Lines& l, Index x) {
  return l.below[x] - l.above[x];
}
double dxx(const Lines& l, Index left, Index x, Index right) {
  return 2 * l.here[x] - l.here[left] - l.here[right];
}
double dyy(const Lines& l, Index x) {
  return 2 * l.here[x] - l.above[x] - l.below[x];
}
double dxy(const Lines& l, Index left, Index right) {
  return l.below[right] - l.below[left] - l.above[right] + l.above[left];
}

/// A feature of a pixel and its neighbours as a feature of lines.
template <auto kAt>
void line(const Lines& lines, double* out) {
  along(lines.width, out, [&](Index left, Index x, Index right) { return kAt(lines, left, x, right); });
}

struct KnownFeature {
  std::string_view name;
  LineFeature line;
};

using L = const Lines&;

constexpr KnownFeature known_features[] = {
    {"intensity", line<[](L l, Index, Index x, Index) { return l.here[x]; }>},
    {"x", line<[](L, Index, Index x, Index) { return static_cast<double>(x); }>},
    {"y", line<[](L l, Index, Index, Index) { return static_cast<double>(l.y); }>},
    {"dx", line<[](L l, Index left, Index, Index right) { return dx(l, left, right); }>},
    {"dy", line<[](L l, Index, Index x, Index) { return dy(l, x); }>},
    {"dxx", line<[](L l, Index left, Index x, Index right) { return dxx(l, left, x, right); }>},
    {"dyy", line<[](L l, Index, Index x, Index) { return dyy(l, x); }>},
    {"dxy", line<[](L l, Index left, Index, Index right) { return dxy(l, left, right); }>},
    {"abs-dx", line<[](L l, Index left, Index, Index right) { return std::abs(dx(l, left, right)); }>},
    {"abs-dy", line<[](L l, Index, Index x, Index) { return std::abs(dy(l, x)); }>},
    {"abs-dxx", line<[](L l, Index left, Index x, Index right) { return std::abs(dxx(l, left, x, right)); }>},
    {"abs-dyy", line<[](L l, Index, Index x, Index) { return std::abs(dyy(l, x)); }>},
    {"abs-dxy", line<[](L l, Index left, Index, Index right) { return std::abs(dxy(l, left, right)); }>},
    {"magnitude", line<[](L l, Index left, Index x, Index right) {
       const double across = dx(l, left, right), down = dy(l, x);
       return std::sqrt(across * across + down * down);
     }>},
    {"angle", line<[](L l, Index left, Index x, Index right) {
       return std::atan2(std::abs(dy(l, x)), std::abs(dx(l, left, right)));
     }>},
};

}  // namespace

LineFeature line_feature(std::string_view name) {
  for (const KnownFeature& known : known_features)
    if (known.name == name) return known.line;
  return nullptr;
}

void apply(LineFeature feature, const Matrix& grey, Matrix& map) {
  const Index width = grey.cols(), height = grey.rows();
  map.resize(height, width);
  for (Index y = 0; y < height; ++y) {
    const double* const here = grey.data() + y * width;
    feature({.above = y > 0 ? here - width : here,
             .here = here,
             .below = y + 1 < height ? here + width : here,
             .y = y,
             .width = width},
            map.data() + y * width);
  }
}

}  // namespace dsk::detail
