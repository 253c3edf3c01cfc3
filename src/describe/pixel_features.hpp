#pragma once

#include <dsk/describe/features.hpp>

namespace dsk::detail {

/// A line of a picture with its neighbours; at the edges the line itself stands for the one that is missing.
struct Lines {
  const double* above;
  const double* here;
  const double* below;
  Index y;
  Index width;
};

/// One line of a feature's map.
using LineFeature = void (*)(const Lines& lines, double* out);

/// Null if the feature is not made of neighbouring intensities.
LineFeature line_feature(std::string_view name);

void apply(LineFeature feature, const Matrix& grey, Matrix& map);

}  // namespace dsk::detail
