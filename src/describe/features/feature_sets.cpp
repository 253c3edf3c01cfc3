// The features of pixels, by name.

#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "describe/features/features.hpp"

namespace dsk {
namespace {

constexpr NamedFeature names_and_meanings[] = {
    {"intensity", "grey value"},
    {"x", "column, in pixels"},
    {"y", "row, in pixels"},
    {"dx", "first derivative across, [-1 0 1]"},
    {"dy", "first derivative down"},
    {"dxx", "second derivative across, [-1 2 -1]"},
    {"dyy", "second derivative down"},
    {"dxy", "derivative across and down"},
    {"abs-dx", "|dx|; also abs-dy, abs-dxx, abs-dyy, abs-dxy"},
    {"abs-dy", "|dy|"},
    {"abs-dxx", "|dxx|"},
    {"abs-dyy", "|dyy|"},
    {"abs-dxy", "|dxy|"},
    {"magnitude", "length of (dx, dy)"},
    {"angle", "angle of (|dx|, |dy|), 0 to pi/2"},
    {"red", "the red channel"},
    {"green", "the green channel"},
    {"blue", "the blue channel"},
    {"gabor:SxO", "Gabor wavelets at S scales x O orientations"},
};

constexpr std::string_view colour_names[] = {"red", "green", "blue"};
constexpr Index most_features = 1000;

std::string known_names() {
  std::string text;
  for (const NamedFeature& known : named_features()) text += fmt::format("{}{}", text.empty() ? "" : ", ", known.name);
  return text;
}

/// Index of a colour name, or 3.
std::size_t colour(std::string_view name) {
  return static_cast<std::size_t>(std::find(std::begin(colour_names), std::end(colour_names), name) -
                                  std::begin(colour_names));
}

using detail::NamedPart;
using detail::NamedPixels;
using detail::PixelValues;

NamedPart gabor_part(Index scales, Index orientations) {
  constexpr Index most_scales = 12;  // the filter is hundreds of pixels wide then
  if (scales < 1 || scales > most_scales)
    throw InvalidInput(
        fmt::format("number of scales of Gabor wavelets is {}, but must be 1 to {}", scales, most_scales));
  if (orientations < 1 || scales * orientations > most_features)
    throw InvalidInput(fmt::format("{} x {} Gabor wavelets are out of range; there must be 1 to {}", scales,
                                   orientations, most_features));
  NamedPart part;
  for (Index scale = 0; scale < scales; ++scale)
    for (Index orientation = 0; orientation < orientations; ++orientation)
      part.names.push_back(fmt::format("gabor-{}-{}", scale, orientation));
  part.prepare = [=](const Image& image) -> PixelValues {
    return [=, &grey = image.grey, mean = detail::gabor_mean(image.grey, scales)](const Region& region,
                                                                                  std::span<double* const> out) {
      detail::gabor_magnitudes(grey, mean, scales, orientations, region, out);
    };
  };
  part.block = detail::gabor_block(scales);
  return part;
}

NamedPart named_part(std::string_view name) {
  NamedPart part{.names = {std::string(name)}, .prepare = {}};
  if (const auto feature = detail::pixel_feature(name); feature != nullptr) {
    part.prepare = [feature](const Image& image) -> PixelValues {
      return [feature, &image](const Region& region, std::span<double* const> out) {
        feature(image.grey, region, out[0]);
      };
    };
    return part;
  }
  if (const std::size_t which = colour(name); which < std::size(colour_names)) {
    part.prepare = [which](const Image& image) -> PixelValues {
      return [&plane = image.colours.empty() ? image.grey : image.colours.at(which)](const Region& region,
                                                                                     std::span<double* const> out) {
        Eigen::Map<Matrix>(out[0], region.height, region.width) =
            plane.block(region.y, region.x, region.height, region.width);
      };
    };
    return part;
  }
  constexpr std::string_view gabor = "gabor:";
  if (name.starts_with(gabor)) {
    const Size grid = Size::parse(name.substr(gabor.size()), "feature gabor:SxO,");
    return gabor_part(grid.width, grid.height);
  }
  throw InvalidInput(fmt::format("feature '{}' is unknown; use {}", name, known_names()));
}

void check_distinct(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw InvalidInput(fmt::format("feature '{}' is listed twice, which would make the covariance singular", *twice));
}

constexpr std::string_view texture_list = "intensity,abs-dx,abs-dy,abs-dxx,abs-dyy";

FeatureSet joined(NamedPixels pixels) {
  FeatureSet all;
  for (const NamedPart& part : pixels.parts) all.names.insert(all.names.end(), part.names.begin(), part.names.end());
  check_distinct(all.names);
  all.maps = [pixels, count = all.names.size()](const Image& image) {
    std::vector<Matrix> maps;
    std::vector<double*> starts;
    for (std::size_t f = 0; f < count; ++f) starts.push_back(maps.emplace_back(image.height(), image.width()).data());
    pixels(image, {0, 0, image.width(), image.height()}, starts);
    return maps;
  };
  all.pixels = std::move(pixels);
  return all;
}

const NamedPixels* named_pixels(const FeatureSet& features) {
  return features.pixels.target<NamedPixels>();
}

}  // namespace

std::span<const NamedFeature> named_features() {
  return names_and_meanings;
}

FeatureSet texture_features() {
  return parse_features(texture_list);
}

FeatureSet gabor_features() {
  return parse_features("intensity,x,y,gabor:5x8");
}

FeatureSet gabor_wavelets(Index scales, Index orientations) {
  return joined({{gabor_part(scales, orientations)}});
}

FeatureSet parse_features(std::string_view list) {
  NamedPixels pixels{.parts = {}, .is_texture = list == texture_list};
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    pixels.parts.push_back(named_part(list.substr(start, comma - start)));
    start = comma + 1;
  }
  return joined(std::move(pixels));
}

void detail::NamedPixels::operator()(const Image& image, const Region& region, std::span<double* const> out) const {
  for (std::size_t first = 0; const NamedPart& part : parts) {
    part.prepare(image)(region, out.subspan(first, part.names.size()));
    first += part.names.size();
  }
}

detail::PixelValues detail::prepare_pixels(const FeatureSet& features, const Image& image) {
  const NamedPixels* const named = named_pixels(features);
  if (named == nullptr)
    return [&](const Region& region, std::span<double* const> out) { features.pixels(image, region, out); };
  std::vector<std::pair<PixelValues, std::size_t>> parts;
  for (const NamedPart& part : named->parts) parts.emplace_back(part.prepare(image), part.names.size());
  return [parts = std::move(parts)](const Region& region, std::span<double* const> out) {
    for (std::size_t first = 0; const auto& [values, count] : parts) {
      values(region, out.subspan(first, count));
      first += count;
    }
  };
}

Index detail::block_side(const FeatureSet& features) {
  Index side = 0;
  if (const NamedPixels* const named = named_pixels(features); named != nullptr)
    for (const NamedPart& part : named->parts) side = std::max(side, part.block);
  return side;
}

bool detail::is_texture(const FeatureSet& features) {
  const NamedPixels* const named = named_pixels(features);
  return named != nullptr && named->is_texture;
}

void detail::check_features(const FeatureSet& features, const Image& image) {
  if (image.width() < 1 || image.height() < 1) throw InvalidInput("the picture has no pixels");
  if (features.names.empty() || !features.maps) throw InvalidInput("there are no features");
}

std::vector<Matrix> feature_maps(const FeatureSet& features, const Image& image) {
  detail::check_features(features, image);
  std::vector<Matrix> maps = features.maps(image);
  if (maps.size() != features.names.size())
    throw InvalidInput(fmt::format("{} feature maps for {} names", maps.size(), features.names.size()));
  for (std::size_t f = 0; f < maps.size(); ++f)
    if (maps[f].rows() != image.height() || maps[f].cols() != image.width())
      throw InvalidInput(fmt::format("the map of feature {} is {} x {} pixels, but the picture is {} x {}",
                                     features.names[f], maps[f].cols(), maps[f].rows(), image.width(), image.height()));
  return maps;
}

}  // namespace dsk
