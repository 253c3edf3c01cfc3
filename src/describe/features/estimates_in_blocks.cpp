// Covariances of regions of large pictures, whose features are computed block by block.

#include <algorithm>

#include "describe/features/features.hpp"
#include "machine/parallel.hpp"

namespace dsk::detail {
namespace {

Region overlap(const Region& a, const Region& b) {
  const Index x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::min(a.x + a.width, b.x + b.width) - x, std::min(a.y + a.height, b.y + b.height) - y};
}

std::vector<Region> blocks_of(const FeatureSet& features, const Image& image) {
  constexpr Index least_side = 256;
  const Index side = std::max(least_side, block_side(features));
  return tile_regions({image.width(), image.height()},
                      {(image.width() + side - 1) / side, (image.height() + side - 1) / side});
}

/// The values of the pixels of a block, one feature in a row.
Matrix block_values(const PixelValues& pixels, std::size_t features, const Region& block) {
  Matrix values(static_cast<Index>(features), block.width * block.height);
  std::vector<double*> places;
  for (Index f = 0; f < values.rows(); ++f) places.push_back(values.row(f).data());
  pixels(block, places);
  return values;
}

/// What a block holds of a region: the moments of its pixels, or why there are none.
struct RegionPart {
  std::size_t region = 0;
  Moments moments = {};
  std::string problem = {};
};

class BlockWork {
 public:
  BlockWork(const FeatureSet& features, const Image& image, std::span<const Region> regions,
            const RegionOptions& options, std::uint64_t stream)
      : features_(features), regions_(regions), options_(options), pixels_(prepare_pixels(features, image)) {
    if (options.sample == 1) return;
    for (std::size_t r = 0; r < regions.size(); ++r)
      drawn_.push_back(drawn_pixels(regions[r].width * regions[r].height, options, stream, r));
  }

  std::vector<RegionPart> parts(const Region& block) const {
    std::vector<RegionPart> parts;
    const Matrix values = block_values(pixels_, features_.names.size(), block);
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const Region inside = overlap(regions_[r], block);
      if (inside.width < 1 || inside.height < 1) continue;
      RegionPart part{.region = r};
      try {
        add_moments(values, block, r, inside, part.moments);
      } catch (const InvalidInput& error) {
        part.problem = error.what();
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  /// A few lines at a time, which stay in the cache.
  void add_moments(const Matrix& values, const Region& block, std::size_t r, const Region& inside, Moments& sum) const {
    constexpr Index most_samples = 1 << 13;
    const Index lines = std::max<Index>(1, most_samples / inside.width);
    std::vector<Index> positions;
    FeatureRows rows;
    for (Index y = inside.y; y < inside.y + inside.height; y += lines) {
      positions.clear();
      for (Index line = y; line < std::min(y + lines, inside.y + inside.height); ++line)
        append_positions(block, r, inside, line, positions);
      if (positions.empty()) continue;
      rows.reset_part(values.rows(), static_cast<Index>(positions.size()));
      for (Index f = 0; f < values.rows(); ++f) {
        const double* const from = values.row(f).data();
        std::transform(positions.begin(), positions.end(), rows.row(f), [&](Index position) { return from[position]; });
      }
      sum.add(rows.part_moments(options_.estimator, features_.names));
    }
  }

  /// Where in the block the pixels of a line of the region are.
  void append_positions(const Region& block, std::size_t r, const Region& inside, Index y,
                        std::vector<Index>& positions) const {
    const Index start = (y - block.y) * block.width - block.x;
    if (drawn_.empty()) {
      for (Index x = inside.x; x < inside.x + inside.width; ++x) positions.push_back(start + x);
      return;
    }
    const Region& region = regions_[r];
    const std::vector<Index>& drawn = drawn_[r];
    const Index line = (y - region.y) * region.width - region.x;
    for (auto at = std::lower_bound(drawn.begin(), drawn.end(), line + inside.x);
         at != drawn.end() && *at < line + inside.x + inside.width; ++at)
      positions.push_back(start + *at - line);
  }

  const FeatureSet& features_;
  std::span<const Region> regions_;
  const RegionOptions& options_;
  PixelValues pixels_;
  std::vector<std::vector<Index>> drawn_;
};

}  // namespace

std::vector<Matrix> small_maps(const FeatureSet& features, const Image& image) {
  constexpr Index most_values = 1 << 23;
  const Index values = image.grey.size() * static_cast<Index>(features.names.size());
  Index step = 1;
  while (values / (step * step) > most_values) ++step;
  if (step == 1 || !features.pixels) return feature_maps(features, image);
  std::vector<Matrix> maps;
  for (std::size_t f = 0; f < features.names.size(); ++f)
    maps.emplace_back((image.height() + step - 1) / step, (image.width() + step - 1) / step);
  const PixelValues pixels = prepare_pixels(features, image);
  const auto next = [&](Index position) { return (position + step - 1) / step; };
  for (const Region& block : blocks_of(features, image)) {
    const Matrix found = block_values(pixels, maps.size(), block);
    for (std::size_t f = 0; f < maps.size(); ++f)
      for (Index y = next(block.y); y * step < block.y + block.height; ++y)
        for (Index x = next(block.x); x * step < block.x + block.width; ++x)
          maps[f](y, x) = found(static_cast<Index>(f), (y * step - block.y) * block.width + x * step - block.x);
  }
  return maps;
}

std::vector<RegionEstimate> estimates_in_blocks(const FeatureSet& features, const Image& image,
                                                std::span<const Region> regions, const RegionOptions& options,
                                                std::uint64_t stream, int threads) {
  constexpr double most_bytes = 1 << 29, nanoseconds_each = 5e7;
  const std::vector<Region> blocks = blocks_of(features, image);
  // Filters need about as much again as the values of a block.
  const double bytes_each =
      2 * 8 * static_cast<double>(features.names.size()) * static_cast<double>(blocks[0].width * blocks[0].height);
  const int most_threads = std::max(1, static_cast<int>(most_bytes / bytes_each));
  const int workers = worker_count(threads, nanoseconds_each * static_cast<double>(blocks.size()));
  const BlockWork work(features, image, regions, options, stream);
  std::vector<std::vector<RegionPart>> parts(blocks.size());
  for_ranges(static_cast<Index>(blocks.size()), std::min(workers, most_threads), nanoseconds_each,
             [&](Index first, Index last) {
               for (Index b = first; b < last; ++b)
                 parts[static_cast<std::size_t>(b)] = work.parts(blocks[static_cast<std::size_t>(b)]);
             });
  std::vector<RegionPart> sums(regions.size());
  for (std::vector<RegionPart>& of_block : parts) {
    for (RegionPart& part : of_block) {
      RegionPart& sum = sums[part.region];
      if (sum.problem.empty()) sum.problem = part.problem;
      if (sum.problem.empty() && part.moments.samples > 0) sum.moments.add(std::move(part.moments));
    }
    of_block.clear();
  }
  std::vector<RegionEstimate> results;
  for (RegionPart& sum : sums) {
    const auto moments = [&] {
      if (!sum.problem.empty()) throw InvalidInput(sum.problem);
      check_samples(sum.moments.samples);
      check_scatter(sum.moments.scatter);
      return std::move(sum.moments);
    };
    results.push_back(attempt(moments, options.estimator, features.names));
  }
  return results;
}

}  // namespace dsk::detail
