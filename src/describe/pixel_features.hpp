#pragma once

#include <dsk/describe.hpp>

namespace dsk::detail {

/// A feature of the pixels of a region, row by row; at the edges of the picture a pixel stands for its missing
/// neighbour.
using PixelFeature = void (*)(const Matrix& grey, const Region& region, double* out);

/// Throws InvalidInput if there is nothing to measure, or no picture.
void check_features(const FeatureSet& features, const Image& image);

/// Null if the feature is not made of neighbouring intensities.
PixelFeature pixel_feature(std::string_view name);

}  // namespace dsk::detail
