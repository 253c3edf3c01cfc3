#pragma once

#include <dsk/describe.hpp>

namespace dsk::detail {

/// A region's matrix, or why there is none.
struct RegionEstimate {
  Matrix matrix;
  std::string problem;
  bool rank_deficient = false;  ///< a shrinking estimator would do

  bool good() const { return problem.empty(); }
};

/// One per region. `stream` parts the random numbers of pictures from each other.
std::vector<RegionEstimate> region_estimates(std::span<const Matrix> maps, std::span<const std::string> names,
                                             std::span<const Region> regions, const RegionOptions& options,
                                             std::uint64_t stream);
std::vector<RegionEstimate> region_estimates(const FeatureSet& features, const Image& image,
                                             std::span<const Region> regions, const RegionOptions& options,
                                             std::uint64_t stream);

/// Throw InvalidInput for a region outside the picture, for maps that do not belong together.
void check_inside(const Region& region, Index width, Index height);
void check_maps(std::span<const Matrix> maps);

/// Throws InvalidInput for a share of pixels that is none.
void check(const RegionOptions& options);

}  // namespace dsk::detail
