#pragma once

#include <dsk/describe.hpp>

namespace dsk::detail {

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
