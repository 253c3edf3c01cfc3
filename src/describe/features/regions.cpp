// Regions of pictures: which there are, and their covariances, from sums over the whole picture where regions overlap.

#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "describe/estimate/estimators.hpp"
#include "describe/features/features.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

bool read_number(std::string_view text, Index& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 1;
}

}  // namespace

Size Size::parse(std::string_view text, std::string_view what) {
  constexpr Index largest = 1 << 20;
  Size size;
  const auto cross = text.find('x');
  if (cross == std::string_view::npos || !read_number(text.substr(0, cross), size.width) ||
      !read_number(text.substr(cross + 1), size.height) || size.width > largest || size.height > largest)
    throw InvalidInput(fmt::format("{} '{}' is not a size; use COLUMNSxROWS, as in 8x8", what, text));
  return size;
}

std::vector<Region> tile_regions(const Size& picture, const Size& tiles) {
  if (tiles.width < 1 || tiles.height < 1 || tiles.width > picture.width || tiles.height > picture.height)
    throw InvalidInput(fmt::format("a picture of {} x {} pixels cannot be cut into {} x {} tiles", picture.width,
                                   picture.height, tiles.width, tiles.height));
  std::vector<Region> regions;
  for (Index row = 0; row < tiles.height; ++row)
    for (Index column = 0; column < tiles.width; ++column) {
      const Index x = column * picture.width / tiles.width, y = row * picture.height / tiles.height;
      regions.push_back(
          {x, y, (column + 1) * picture.width / tiles.width - x, (row + 1) * picture.height / tiles.height - y});
    }
  return regions;
}

std::vector<Region> window_regions(const Size& picture, const Size& window, Index step) {
  if (step < 1) throw InvalidInput(fmt::format("step is {} pixels, but must be at least 1", step));
  if (window.width < 1 || window.height < 1 || window.width > picture.width || window.height > picture.height)
    throw InvalidInput(fmt::format("a window of {} x {} pixels does not fit into a picture of {} x {}", window.width,
                                   window.height, picture.width, picture.height));
  std::vector<Region> regions;
  for (Index y = 0; y + window.height <= picture.height; y += step)
    for (Index x = 0; x + window.width <= picture.width; x += step)
      regions.push_back({x, y, window.width, window.height});
  return regions;
}

void detail::check_inside(const Region& region, Index width, Index height) {
  if (region.width < 1 || region.height < 1 || region.x < 0 || region.y < 0 || region.x > width - region.width ||
      region.y > height - region.height)
    throw InvalidInput(fmt::format("region of {} x {} pixels at ({}, {}) is not inside a picture of {} x {}",
                                   region.width, region.height, region.x, region.y, width, height));
}

void detail::check_maps(std::span<const Matrix> maps) {
  if (maps.empty()) throw InvalidInput("there are no feature maps");
  for (const Matrix& map : maps)
    if (map.rows() != maps[0].rows() || map.cols() != maps[0].cols() || map.size() == 0)
      throw InvalidInput("the feature maps differ in size or are empty");
}

RegionSums::RegionSums(std::span<const Matrix> maps) {
  detail::check_maps(maps);
  dim_ = static_cast<Index>(maps.size());
  width_ = maps[0].cols();
  height_ = maps[0].rows();
  entries_ = dim_ * (dim_ + 3) / 2;
  sums_.assign(static_cast<std::size_t>((width_ + 1) * (height_ + 1) * entries_), 0.0);
  // Subtract the mean first: sums of values far from zero would lose digits.
  Eigen::VectorXd mean(dim_), value(dim_), line(entries_);
  for (Index f = 0; f < dim_; ++f) {
    mean[f] = maps[static_cast<std::size_t>(f)].mean();
    if (!std::isfinite(mean[f])) throw InvalidInput(fmt::format("feature {} contains NaN or Inf", f));
  }
  for (Index y = 0; y < height_; ++y) {
    line.setZero();
    for (Index x = 0; x < width_; ++x) {
      for (Index f = 0; f < dim_; ++f) value[f] = maps[static_cast<std::size_t>(f)](y, x) - mean[f];
      line.head(dim_) += value;
      for (Index r = 0, entry = dim_; r < dim_; entry += ++r)
        line.segment(entry, r + 1) += value[r] * value.head(r + 1);
      double* const here = sums_.data() + ((y + 1) * (width_ + 1) + x + 1) * entries_;
      Eigen::Map<Eigen::VectorXd>(here, entries_) = line + Eigen::Map<const Eigen::VectorXd>(at(x + 1, y), entries_);
    }
  }
}

Matrix RegionSums::scatter(const Region& region) const {
  detail::check_inside(region, width_, height_);
  using View = Eigen::Map<const Eigen::VectorXd>;
  const Index right = region.x + region.width, below = region.y + region.height;
  const Eigen::VectorXd sum = (View(at(right, below), entries_) - View(at(region.x, below), entries_)) -
                              (View(at(right, region.y), entries_) - View(at(region.x, region.y), entries_));
  const auto area = static_cast<double>(region.width * region.height);
  Matrix result(dim_, dim_);
  for (Index r = 0, entry = dim_; r < dim_; ++r)
    for (Index c = 0; c <= r; ++c, ++entry) result(r, c) = result(c, r) = sum[entry] - sum[r] * sum[c] / area;
  return result;
}

bool RegionSums::keeps_digits(const Region& region, const Matrix& scatter) const {
  const double* const sums = at(region.x + region.width, region.y + region.height);
  const double lost = 1e8 * std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(width_ + height_));
  for (Index r = 0, entry = dim_; r < dim_; entry += ++r)
    if (!(scatter(r, r) > lost * sums[entry + r])) return false;
  return true;
}

Matrix RegionSums::covariance(const Region& region, Estimator estimator) const {
  if (estimator == Estimator::ledoit_wolf) throw InvalidInput("ledoit-wolf needs the samples, not only their sums");
  if (region.width * region.height < 2) throw InvalidInput("a covariance needs at least 2 samples, not 1");
  return detail::estimated(estimator,
                           detail::Moments{.scatter = scatter(region), .samples = region.width * region.height});
}

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

/// The most bytes for maps of a whole picture, or for the features of a region.
constexpr double most_bytes = 1 << 26;

double bytes(const FeatureSet& features, Index pixels) {
  return 8 * static_cast<double>(features.names.size()) * static_cast<double>(pixels);
}

detail::Moments texture_moments(const Matrix& grey, const Region& region, std::span<const std::string> names) {
  const detail::TextureSums sums = detail::sum_texture(grey, region);
  for (Index f = 0; f < static_cast<Index>(names.size()); ++f)
    if (!std::isfinite(sums.means[f])) throw InvalidInput(detail::feature_name(f, names) + " contains NaN or Inf");
  detail::Moments result{.scatter = Eigen::Map<const Eigen::Matrix<double, 5, 5, Eigen::RowMajor>>(sums.scatter),
                         .samples = region.width * region.height};
  detail::check_scatter(result.scatter);
  return result;
}

SpdBatch collected(const std::vector<RegionEstimate>& estimates, Index dim) {
  if (estimates.empty()) throw InvalidInput("there are no regions; a batch needs at least 1");
  MatrixStack stack{static_cast<Index>(estimates.size()), dim, {}};
  for (std::size_t r = 0; r < estimates.size(); ++r) {
    if (!estimates[r].good()) {
      const std::string problem = fmt::format("region {}: {}", r, estimates[r].problem);
      if (estimates[r].rank_deficient) throw RankDeficient(problem);
      throw InvalidInput(problem);
    }
    stack.values.insert(stack.values.end(), estimates[r].matrix.data(), estimates[r].matrix.data() + dim * dim);
  }
  return detail::trust(std::move(stack));
}

}  // namespace

void detail::check(const RegionOptions& options) {
  if (!(options.sample > 0 && options.sample <= 1))
    throw InvalidInput(fmt::format("sample {} must be above 0 and at most 1", options.sample));
}

// Knuth's selection sampling. The C++ standard specifies mt19937_64 and seed_seq exactly, so the sample is the same on
// every machine.
std::vector<Index> detail::drawn_pixels(Index area, const RegionOptions& options, std::uint64_t stream,
                                        std::uint64_t region) {
  const auto wanted =
      std::clamp<Index>(std::lround(options.sample * static_cast<double>(area)), std::min<Index>(2, area), area);
  std::seed_seq seeds{options.seed, options.seed >> 32, stream, stream >> 32, region};
  std::mt19937_64 engine(seeds);
  std::vector<Index> pixels;
  for (Index pixel = 0; pixel < area; ++pixel) {
    const double uniform = static_cast<double>(engine() >> 11) * 0x1p-53;
    if (uniform * static_cast<double>(area - pixel) < static_cast<double>(wanted - static_cast<Index>(pixels.size())))
      pixels.push_back(pixel);
  }
  return pixels;
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
        check_samples(area);
        Matrix scatter = sums.scatter(region);
        if (sums.keeps_digits(region, scatter)) return Moments{.scatter = std::move(scatter), .samples = area};
        fill(rows, maps, region);
        return rows.moments(options.estimator, names);
      };
      results.push_back(detail::attempt(moments, options.estimator, names));
    }
    return results;
  }
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const Region& region = regions[r];
    const auto moments = [&] {
      if (options.sample < 1)
        fill(rows, maps, region, drawn_pixels(region.width * region.height, options, stream, r));
      else
        fill(rows, maps, region);
      return rows.moments(options.estimator, names);
    };
    results.push_back(detail::attempt(moments, options.estimator, names));
  }
  return results;
}

bool detail::uses_threads(const FeatureSet& features, Index pixels) {
  constexpr Index enough = Index{1} << 22;  // for more blocks than threads
  return block_side(features) > 0 && bytes(features, pixels) > most_bytes && pixels > enough;
}

std::vector<RegionEstimate> detail::region_estimates(const FeatureSet& features, const Image& image,
                                                     std::span<const Region> regions, const RegionOptions& options,
                                                     std::uint64_t stream, int threads) {
  check(options);
  check_features(features, image);
  for (const Region& region : regions) check_inside(region, image.width(), image.height());
  Index largest = 0;
  for (const Region& region : regions) largest = std::max(largest, region.width * region.height);
  const bool alone = block_side(features) == 0 && options.sample == 1;
  const bool by_sums = alone && is_texture(features) && options.estimator != Estimator::ledoit_wolf;
  const bool is_small = bytes(features, image.grey.size()) <= most_bytes;
  if (!features.pixels || (is_small && !alone) ||
      overlap_much(features.names.size(), image.grey.size(), regions, options))
    return region_estimates(feature_maps(features, image), features.names, regions, options, stream);
  if (!alone || (!by_sums && bytes(features, largest) > most_bytes))
    return estimates_in_blocks(features, image, regions, options, stream, threads);
  std::vector<RegionEstimate> results;
  FeatureRows rows;
  std::vector<double*> places(features.names.size());
  const PixelValues pixels = prepare_pixels(features, image);
  for (const Region& region : regions) {
    const auto moments = [&] {
      check_samples(region.width * region.height);
      if (by_sums) return texture_moments(image.grey, region, features.names);
      rows.reset(static_cast<Index>(places.size()), region.width * region.height);
      for (std::size_t f = 0; f < places.size(); ++f) places[f] = rows.row(static_cast<Index>(f));
      pixels(region, places);
      return rows.moments(options.estimator, features.names);
    };
    results.push_back(detail::attempt(moments, options.estimator, features.names));
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
