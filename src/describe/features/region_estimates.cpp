#include "describe/features/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "describe/estimate/estimators.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

using detail::FeatureRows;
using detail::RegionEstimate;

void fill(FeatureRows& rows, std::span<const Matrix> maps, const Region& region) {
  rows.reset(static_cast<Index>(maps.size()), region.width * region.height);
  for (Index f = 0; f < rows.features(); ++f)
    for (Index y = 0; y < region.height; ++y)
      std::copy_n(&maps[static_cast<std::size_t>(f)](region.y + y, region.x), region.width,
                  rows.row(f) + y * region.width);
}

/// Indices of pixels within a region, drawn uniformly without replacement (Knuth's selection sampling). The C++
/// standard specifies mt19937_64 and seed_seq exactly, so the sample is the same on every machine.
std::vector<Index> drawn_pixels(Index area, double share, std::uint64_t seed, std::uint64_t stream,
                                std::uint64_t region) {
  const auto wanted = std::clamp<Index>(std::lround(share * static_cast<double>(area)), std::min<Index>(2, area), area);
  std::seed_seq seeds{seed, seed >> 32, stream, stream >> 32, region};
  std::mt19937_64 engine(seeds);
  std::vector<Index> pixels;
  for (Index pixel = 0; pixel < area; ++pixel) {
    const double uniform = static_cast<double>(engine() >> 11) * 0x1p-53;
    if (uniform * static_cast<double>(area - pixel) < static_cast<double>(wanted - static_cast<Index>(pixels.size())))
      pixels.push_back(pixel);
  }
  return pixels;
}

void fill(FeatureRows& rows, std::span<const Matrix> maps, const Region& region, const std::vector<Index>& pixels) {
  rows.reset(static_cast<Index>(maps.size()), static_cast<Index>(pixels.size()));
  for (Index f = 0; f < rows.features(); ++f) {
    const Matrix& map = maps[static_cast<std::size_t>(f)];
    double* out = rows.row(f);
    for (const Index pixel : pixels) *out++ = map(region.y + pixel / region.width, region.x + pixel % region.width);
  }
}

/// Whether integral images are cheaper than computing every region separately.
bool overlap_much(std::size_t features, Index pixels, std::span<const Region> regions, const RegionOptions& options) {
  if (options.sample < 1 || options.estimator == Estimator::ledoit_wolf) return false;
  constexpr double cost_of_sums = 8, most_numbers = 1 << 25;
  const auto d = static_cast<double>(features), picture = static_cast<double>(pixels);
  double area = 0;
  for (const Region& region : regions) area += static_cast<double>(region.width * region.height);
  return area > cost_of_sums * picture && d * (d + 3) / 2 * picture < most_numbers;
}

RegionEstimate attempt(const auto& moments, Estimator estimator, std::span<const std::string> names) {
  RegionEstimate result;
  try {
    result.matrix = detail::definite_estimate(estimator, moments(), names);
  } catch (const RankDeficient& error) {
    result.problem = error.problem();
    result.rank_deficient = true;
  } catch (const InvalidInput& error) {
    result.problem = error.what();
  }
  return result;
}

SpdBatch collected(const std::vector<RegionEstimate>& estimates, Index dim) {
  if (estimates.empty()) throw InvalidInput("there are no regions; a batch needs at least 1");
  MatrixStack stack{static_cast<Index>(estimates.size()), dim, {}};
  for (std::size_t r = 0; r < estimates.size(); ++r) {
    const std::string problem = fmt::format("region {}: {}", r, estimates[r].problem);
    if (estimates[r].rank_deficient) throw RankDeficient(problem);
    if (!estimates[r].good()) throw InvalidInput(problem);
    stack.values.insert(stack.values.end(), estimates[r].matrix.data(), estimates[r].matrix.data() + dim * dim);
  }
  return detail::trust(std::move(stack));
}

}  // namespace

void detail::check(const RegionOptions& options) {
  if (!(options.sample > 0 && options.sample <= 1))
    throw InvalidInput(fmt::format("sample {} must be above 0 and at most 1", options.sample));
}

std::vector<RegionEstimate> detail::region_estimates(std::span<const Matrix> maps, std::span<const std::string> names,
                                                     std::span<const Region> regions, const RegionOptions& options,
                                                     std::uint64_t stream) {
  check(options);
  check_maps(maps);
  for (const Region& region : regions) check_inside(region, maps[0].cols(), maps[0].rows());
  std::vector<RegionEstimate> results;
  FeatureRows rows;
  if (overlap_much(maps.size(), maps[0].size(), regions, options)) {
    const RegionSums sums(maps);
    for (const Region& region : regions) {
      const auto moments = [&] {
        const Index area = region.width * region.height;
        if (area < 2) throw InvalidInput(fmt::format("{} samples are too few; a covariance needs at least 2", area));
        Matrix scatter = sums.scatter(region);
        if (sums.keeps_digits(region, scatter)) return Moments{.scatter = std::move(scatter), .samples = area};
        fill(rows, maps, region);
        return rows.moments(options.estimator, names);
      };
      results.push_back(attempt(moments, options.estimator, names));
    }
    return results;
  }
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const Region& region = regions[r];
    const auto moments = [&] {
      if (options.sample < 1)
        fill(rows, maps, region, drawn_pixels(region.width * region.height, options.sample, options.seed, stream, r));
      else
        fill(rows, maps, region);
      return rows.moments(options.estimator, names);
    };
    results.push_back(attempt(moments, options.estimator, names));
  }
  return results;
}

std::vector<RegionEstimate> detail::region_estimates(const FeatureSet& features, const Image& image,
                                                     std::span<const Region> regions, const RegionOptions& options,
                                                     std::uint64_t stream) {
  check(options);
  check_features(features, image);
  if (!features.pixels || options.sample < 1 ||
      overlap_much(features.names.size(), image.grey.size(), regions, options))
    return region_estimates(feature_maps(features, image), features.names, regions, options, stream);
  for (const Region& region : regions) check_inside(region, image.width(), image.height());
  std::vector<RegionEstimate> results;
  FeatureRows rows;
  std::vector<double*> places(features.names.size());
  for (const Region& region : regions) {
    const auto moments = [&] {
      rows.reset(static_cast<Index>(places.size()), region.width * region.height);
      for (std::size_t f = 0; f < places.size(); ++f) places[f] = rows.row(static_cast<Index>(f));
      features.pixels(image, region, places);
      return rows.moments(options.estimator, features.names);
    };
    results.push_back(attempt(moments, options.estimator, features.names));
  }
  return results;
}

SpdBatch region_covariance(std::span<const Matrix> maps, std::span<const Region> regions,
                           const RegionOptions& options) {
  return collected(detail::region_estimates(maps, {}, regions, options, 0), static_cast<Index>(maps.size()));
}

SpdBatch region_covariance(const FeatureSet& features, const Image& image, std::span<const Region> regions,
                           const RegionOptions& options) {
  return collected(detail::region_estimates(features, image, regions, options, 0),
                   static_cast<Index>(features.names.size()));
}

}  // namespace dsk
