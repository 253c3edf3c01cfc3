#pragma once

#include <dsk/describe.hpp>
#include <dsk/matrices.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsk::detail {

/// Computes a feature of the pixels of a region, row by row. Pixels at the edge of the picture are repeated beyond it.
using PixelFeature = void (*)(const Matrix& grey, const Region& region, double* out);

/// Throws InvalidInput if there are no features or the picture is empty.
void check_features(const FeatureSet& features, const Image& image);

/// The function for a feature of neighbouring intensities, or null if there is none of this name.
PixelFeature pixel_feature(std::string_view name);

/// The matrix of a region, or why there is none.
struct RegionEstimate {
  Matrix matrix;
  std::string problem;
  bool rank_deficient = false;  ///< a shrinkage estimator would work

  bool good() const { return problem.empty(); }
};

/// One estimate per region. `stream` makes the random numbers of different pictures independent.
std::vector<RegionEstimate> region_estimates(std::span<const Matrix> maps, std::span<const std::string> names,
                                             std::span<const Region> regions, const RegionOptions& options,
                                             std::uint64_t stream);
std::vector<RegionEstimate> region_estimates(const FeatureSet& features, const Image& image,
                                             std::span<const Region> regions, const RegionOptions& options,
                                             std::uint64_t stream);

/// Throw InvalidInput if the region is not inside the picture, or if the maps are empty or differ in size.
void check_inside(const Region& region, Index width, Index height);
void check_maps(std::span<const Matrix> maps);

/// Throws InvalidInput if the share of pixels to sample is not in (0, 1].
void check(const RegionOptions& options);

}  // namespace dsk::detail
