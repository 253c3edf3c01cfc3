#pragma once

#include <dsk/describe.hpp>

namespace dsk::detail {

/// Computes a feature of the pixels of a region, row by row. Pixels at the edge of the picture are repeated beyond it.
using PixelFeature = void (*)(const Matrix& grey, const Region& region, double* out);

/// Throws InvalidInput if there are no features or the picture is empty.
void check_features(const FeatureSet& features, const Image& image);

/// The function for a feature of neighbouring intensities, or null if there is none of this name.
PixelFeature pixel_feature(std::string_view name);

/// The magnitudes of the responses at every pixel, ordered by scale, then by orientation.
std::vector<Matrix> gabor_magnitudes(const Matrix& grey, Index scales, Index orientations);

}  // namespace dsk::detail
