#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "describe/estimate/estimators.hpp"
#include "describe/features/features.hpp"

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
  if (region.width * region.height < 2) throw InvalidInput("1 sample is too few; a covariance needs at least 2");
  return detail::estimated(estimator,
                           detail::Moments{.scatter = scatter(region), .samples = region.width * region.height});
}

}  // namespace dsk
