#pragma once

#include <dsk/describe/features.hpp>
#include <dsk/estimate/covariance.hpp>

namespace dsk {

struct RegionOptions {
  Estimator estimator = Estimator::sample;
  double sample = 1;  ///< share of a region's pixels to use, drawn without repetition
  std::uint64_t seed = 0;
};

/// One covariance matrix of the maps' values per region. Where regions overlap much and the estimator can do with sums,
/// through RegionSums, as far as that keeps their digits. Throws RankDeficient or InvalidInput, naming the region.
SpdBatch region_covariance(std::span<const Matrix> maps, std::span<const Region> regions,
                           const RegionOptions& options = {});

/// The same, of features of a picture.
SpdBatch region_covariance(const FeatureSet& features, const Image& image, std::span<const Region> regions,
                           const RegionOptions& options = {});

/// Sums of values and products up to every pixel (integral images): the covariance of any rectangle in the same short
/// time, whatever its size. Memory: (d + d(d+1)/2) numbers per pixel.
class RegionSums {
 public:
  explicit RegionSums(std::span<const Matrix> maps);

  /// Sum of (x - mean)(x - mean)' over the pixels of the region; throws InvalidInput if it leaves the picture.
  Matrix scatter(const Region& region) const;
  /// Whether that `scatter` has about eight digits or more. Differences of sums lose those of a region that hardly
  /// varies beside a picture that varies much.
  bool keeps_digits(const Region& region, const Matrix& scatter) const;
  /// Any estimator but ledoit_wolf, which needs more than sums.
  Matrix covariance(const Region& region, Estimator estimator = Estimator::sample) const;

  Index dim() const { return dim_; }

 private:
  const double* at(Index x, Index y) const { return sums_.data() + (y * (width_ + 1) + x) * entries_; }

  Index dim_ = 0, width_ = 0, height_ = 0, entries_ = 0;
  std::vector<double> sums_;
};

}  // namespace dsk
