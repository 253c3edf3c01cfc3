#pragma once

#include <dsk/describe.hpp>
#include <dsk/matrices.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "describe/estimate/estimators.hpp"

namespace dsk::detail {

/// Computes a feature of the pixels of a region, row by row. Pixels at the edge of the picture are repeated beyond it.
using PixelFeature = void (*)(const Matrix& grey, const Region& region, double* out);

/// Throws InvalidInput if there are no features or the picture is empty.
void check_features(const FeatureSet& features, const Image& image);

/// The function for a feature of neighbouring intensities, or null if there is none of this name.
PixelFeature pixel_feature(std::string_view name);

/// Means and sum of (x - mean)(x - mean)' of the texture features over a region, feature by feature.
struct TextureSums {
  double means[5];
  double scatter[5 * 5];
};

/// As accurate as centring the features first. `means` is not finite where a feature is not.
TextureSums sum_texture(const Matrix& grey, const Region& region);

/// Magnitudes of Gabor wavelets at the pixels of a region. `mean` is that of the picture, from `gabor_mean`.
void gabor_magnitudes(const Matrix& grey, double mean, Index scales, Index orientations, const Region& region,
                      std::span<double* const> out);

/// The mean of a picture whose edges are extended as wavelets see them.
double gabor_mean(const Matrix& grey, Index scales);

/// The side of the blocks in which to filter a large picture: they are filtered with what is around them, as far as a
/// wavelet reaches.
Index gabor_block(Index scales);

/// Computes features of one picture at the pixels of a region, one array per feature.
using PixelValues = std::function<void(const Region& region, std::span<double* const> out)>;

/// Features with names. Any region of a picture can be computed alone, though it may depend on pixels far away.
struct NamedPart {
  std::vector<std::string> names;
  std::function<PixelValues(const Image& image)> prepare;  ///< refers to the image
  Index block = 0;  ///< the least side of a region that is computed efficiently; 0 for features of neighbouring pixels
};

/// `pixels` of sets of named features, through which what else is known of them can be found.
struct NamedPixels {
  std::vector<NamedPart> parts;
  bool is_texture = false;  ///< whether `sum_texture` computes their moments

  void operator()(const Image& image, const Region& region, std::span<double* const> out) const;
};

/// `pixels` for one picture.
PixelValues prepare_pixels(const FeatureSet& features, const Image& image);

/// `block` of the features, the largest of their parts.
Index block_side(const FeatureSet& features);

/// Whether `sum_texture` computes the moments of these features.
bool is_texture(const FeatureSet& features);

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
/// The result does not depend on the number of threads. Only large pictures, and features that look far around a pixel,
/// use more than one.
std::vector<RegionEstimate> region_estimates(const FeatureSet& features, const Image& image,
                                             std::span<const Region> regions, const RegionOptions& options,
                                             std::uint64_t stream, int threads = 1);

/// The same for pictures whose maps need much memory: they are computed in blocks, one per thread at a time.
std::vector<RegionEstimate> estimates_in_blocks(const FeatureSet& features, const Image& image,
                                                std::span<const Region> regions, const RegionOptions& options,
                                                std::uint64_t stream, int threads);

/// Whether a picture of so many pixels should be described by all threads together, rather than one of many by each.
bool uses_threads(const FeatureSet& features, Index pixels);

/// The estimate from the result of `moments`, or why there is none.
RegionEstimate attempt(const auto& moments, Estimator estimator, std::span<const std::string> names) {
  RegionEstimate result;
  try {
    result.matrix = definite_estimate(estimator, moments(), names);
  } catch (const RankDeficient& error) {
    result.problem = error.problem();
    result.rank_deficient = true;
  } catch (const InvalidInput& error) {
    result.problem = error.what();
  }
  return result;
}

/// Maps to look at: of every few pixels if those of a large picture would need much memory.
std::vector<Matrix> small_maps(const FeatureSet& features, const Image& image);

/// Positions of pixels within a region, drawn uniformly without replacement, in ascending order.
std::vector<Index> drawn_pixels(Index area, const RegionOptions& options, std::uint64_t stream, std::uint64_t region);

/// Throw InvalidInput if the region is not inside the picture, or if the maps are empty or differ in size.
void check_inside(const Region& region, Index width, Index height);
void check_maps(std::span<const Matrix> maps);

/// Throws InvalidInput if the share of pixels to sample is not in (0, 1].
void check(const RegionOptions& options);

}  // namespace dsk::detail
