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

using Pixels = std::function<void(const Image& image, const Region& region, double* out)>;

/// A feature that can be computed for any region of a picture.
FeatureSet local_feature(std::string_view name, const Pixels& pixels) {
  return {.names = {std::string(name)},
          .maps =
              [pixels](const Image& image) {
                std::vector<Matrix> maps{Matrix(image.height(), image.width())};
                pixels(image, {0, 0, image.width(), image.height()}, maps[0].data());
                return maps;
              },
          .pixels = [pixels](const Image& image, const Region& region,
                             std::span<double* const> out) { pixels(image, region, out[0]); }};
}

FeatureSet single_feature(std::string_view name) {
  if (const auto feature = detail::pixel_feature(name); feature != nullptr)
    return local_feature(
        name, [feature](const Image& image, const Region& region, double* out) { feature(image.grey, region, out); });
  if (const std::size_t which = colour(name); which < std::size(colour_names))
    return local_feature(name, [which](const Image& image, const Region& region, double* out) {
      const Matrix& plane = image.colours.empty() ? image.grey : image.colours.at(which);
      Eigen::Map<Matrix>(out, region.height, region.width) =
          plane.block(region.y, region.x, region.height, region.width);
    });
  constexpr std::string_view gabor = "gabor:";
  if (name.starts_with(gabor)) {
    const Size grid = Size::parse(name.substr(gabor.size()), "feature gabor:SxO,");
    return gabor_wavelets(grid.width, grid.height);
  }
  throw InvalidInput(fmt::format("feature '{}' is unknown; use {}", name, known_names()));
}

void check_distinct(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw InvalidInput(fmt::format("feature '{}' is listed twice, which would make the covariance singular", *twice));
}

FeatureSet joined(std::vector<FeatureSet> parts) {
  FeatureSet all;
  for (const FeatureSet& part : parts) all.names.insert(all.names.end(), part.names.begin(), part.names.end());
  check_distinct(all.names);
  const bool local = std::all_of(parts.begin(), parts.end(), [](const FeatureSet& part) { return bool(part.pixels); });
  if (local)
    all.pixels = [parts](const Image& image, const Region& region, std::span<double* const> out) {
      for (std::size_t first = 0; const FeatureSet& part : parts) {
        part.pixels(image, region, out.subspan(first, part.names.size()));
        first += part.names.size();
      }
    };
  all.maps = [parts = std::move(parts)](const Image& image) {
    std::vector<Matrix> maps;
    for (const FeatureSet& part : parts)
      for (Matrix& map : part.maps(image)) maps.push_back(std::move(map));
    return maps;
  };
  return all;
}

}  // namespace

std::span<const NamedFeature> named_features() {
  return names_and_meanings;
}

FeatureSet texture_features() {
  return parse_features("intensity,abs-dx,abs-dy,abs-dxx,abs-dyy");
}

FeatureSet gabor_features() {
  return parse_features("intensity,x,y,gabor:5x8");
}

FeatureSet gabor_wavelets(Index scales, Index orientations) {
  constexpr Index most_scales = 12;  // the filter is hundreds of pixels wide then
  if (scales < 1 || scales > most_scales)
    throw InvalidInput(
        fmt::format("number of scales of Gabor wavelets is {}, but must be 1 to {}", scales, most_scales));
  if (orientations < 1 || scales * orientations > most_features)
    throw InvalidInput(fmt::format("{} x {} Gabor wavelets are out of range; there must be 1 to {}", scales,
                                   orientations, most_features));
  FeatureSet set;
  for (Index scale = 0; scale < scales; ++scale)
    for (Index orientation = 0; orientation < orientations; ++orientation)
      set.names.push_back(fmt::format("gabor-{}-{}", scale, orientation));
  set.maps = [=](const Image& image) { return detail::gabor_magnitudes(image.grey, scales, orientations); };
  return set;
}

FeatureSet parse_features(std::string_view list) {
  std::vector<FeatureSet> parts;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    parts.push_back(single_feature(list.substr(start, comma - start)));
    start = comma + 1;
  }
  return joined(std::move(parts));
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
