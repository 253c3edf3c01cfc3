// The features of pixels, by name, Gabor wavelets among them.

#include <dsk/describe.hpp>

#include <fmt/format.h>
#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "describe/features/features.hpp"

namespace dsk {
namespace {

using Complex = std::complex<double>;
/// A line of the picture in a row.
using Spectrum = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// s of the wavelets.
constexpr double wave_count = 2 * std::numbers::pi;

double wave_number(Index scale) {
  return std::numbers::pi / 2 / std::pow(std::numbers::sqrt2, static_cast<double>(scale));
}

/// Three standard deviations of the widest filter, 3 * 4 * sqrt(2)^(scales - 1). This is an integer for odd `scales`;
/// the small offset keeps rounding from adding 1 then.
Index border_width(Index scales) {
  return static_cast<Index>(std::ceil(3 * wave_count / wave_number(scales - 1) - 1e-9));
}

/// The smallest length, not below this one, whose Fourier transform is fast: a product of 2, 3 and 5.
Index fast_length(Index least) {
  for (Index length = least;; ++length) {
    Index rest = length;
    for (const Index factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

/// exp(-s^2 (w - k)^2 / (2 |k|^2)) at the frequencies w of a transform of this length. The transform of a filter is the
/// product of a horizontal and a vertical factor.
std::vector<double> frequency_factor(Index length, double wave, double wave_length) {
  std::vector<double> factor(static_cast<std::size_t>(length));
  for (Index i = 0; i < length; ++i) {
    const Index signed_position = 2 * i < length ? i : i - length;
    const double frequency = 2 * std::numbers::pi * static_cast<double>(signed_position) / static_cast<double>(length);
    const double distance = wave_count * (frequency - wave) / wave_length;
    factor[static_cast<std::size_t>(i)] = std::exp(-distance * distance / 2);
  }
  return factor;
}

/// The picture with its edge pixels repeated beyond the edges.
Matrix extended(const Matrix& grey, Index border) {
  Matrix result(fast_length(grey.rows() + 2 * border), fast_length(grey.cols() + 2 * border));
  for (Index y = 0; y < result.rows(); ++y)
    for (Index x = 0; x < result.cols(); ++x)
      result(y, x) =
          grey(std::clamp<Index>(y - border, 0, grey.rows() - 1), std::clamp<Index>(x - border, 0, grey.cols() - 1));
  return result;
}

/// Fourier transforms of one picture and of its filtered versions.
class GaborFilters {
 public:
  GaborFilters(const Matrix& grey, Index border)
      : border_(border), size_{grey.cols(), grey.rows()}, spectrum_(spectrum(extended(grey, border))) {}

  /// The magnitude at every pixel of the picture, for one wave vector.
  Matrix magnitudes(double wave_x, double wave_y, double wave_length) {
    const std::vector<double> across = frequency_factor(spectrum_.cols(), wave_x, wave_length);
    const std::vector<double> down = frequency_factor(spectrum_.rows(), wave_y, wave_length);
    // Frequencies that the filter keeps nothing of need no transform.
    constexpr double nothing = 1e-20;
    Spectrum lines = Spectrum::Zero(size_.height, spectrum_.cols());
    Eigen::VectorXcd filtered(spectrum_.rows()), column(spectrum_.rows());
    for (Index x = 0; x < spectrum_.cols(); ++x) {
      const double factor = 2 * std::numbers::pi * across[static_cast<std::size_t>(x)];
      if (across[static_cast<std::size_t>(x)] < nothing) continue;
      for (Index y = 0; y < filtered.size(); ++y)
        filtered[y] = factor * down[static_cast<std::size_t>(y)] * spectrum_(y, x);
      transform_.inv(column, filtered);
      lines.col(x) = column.segment(border_, size_.height);
    }
    Matrix result(size_.height, size_.width);
    Eigen::VectorXcd from(lines.cols()), line(lines.cols());
    for (Index y = 0; y < size_.height; ++y) {
      from = lines.row(y).transpose();
      transform_.inv(line, from);
      result.row(y) = line.segment(border_, size_.width).cwiseAbs().transpose();
    }
    return result;
  }

 private:
  /// Without the constant part of the picture.
  Spectrum spectrum(const Matrix& picture) {
    Spectrum result(picture.rows(), picture.cols());
    Eigen::VectorXcd from(picture.cols()), to;
    for (Index y = 0; y < picture.rows(); ++y) {
      from = picture.row(y).transpose().cast<Complex>();
      transform_.fwd(to, from);
      result.row(y) = to.transpose();
    }
    for (Index x = 0; x < picture.cols(); ++x) {
      from = result.col(x);
      transform_.fwd(to, from);
      result.col(x) = to;
    }
    result(0, 0) = 0;
    return result;
  }

  Eigen::FFT<double> transform_;
  Index border_;
  Size size_;
  Spectrum spectrum_;
};

/// The magnitudes of the responses at every pixel, ordered by scale, then by orientation.
std::vector<Matrix> gabor_magnitudes(const Matrix& grey, Index scales, Index orientations) {
  GaborFilters filters(grey, border_width(scales));
  std::vector<Matrix> maps;
  for (Index scale = 0; scale < scales; ++scale)
    for (Index orientation = 0; orientation < orientations; ++orientation) {
      const double angle = std::numbers::pi * static_cast<double>(orientation) / static_cast<double>(orientations);
      const double wave = wave_number(scale);
      maps.push_back(filters.magnitudes(wave * std::cos(angle), wave * std::sin(angle), wave));
    }
  return maps;
}

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
  set.maps = [=](const Image& image) { return gabor_magnitudes(image.grey, scales, orientations); };
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
