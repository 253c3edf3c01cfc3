#include "describe/features.hpp"
#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "describe/pixel_features_lanes.cpp"
#include <hwy/foreach_target.h>

#include "describe/pixel_features_lanes-inl.h"

#if HWY_ONCE
namespace dsk::detail {

HWY_EXPORT(FindPixelFeature);

PixelFeature pixel_feature(std::string_view name) {
  return HWY_DYNAMIC_DISPATCH(FindPixelFeature)(name);
}

}  // namespace dsk::detail
#endif
