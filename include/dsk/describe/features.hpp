#pragma once

#include <dsk/describe/image.hpp>

#include <functional>
#include <span>
#include <string>

namespace dsk {

/// What is measured at every pixel.
struct FeatureSet {
  std::vector<std::string> names;
  /// One map per name, each of the picture's size. Called from several threads at once.
  std::function<std::vector<Matrix>(const Image& image)> maps;
  /// The same for the pixels of a region alone, row by row, written to one place per name. May be left out; with it,
  /// pictures of many regions are described without maps of the whole.
  std::function<void(const Image& image, const Region& region, std::span<double* const> out)> pixels = {};
};

/// The features of the paper's texture descriptors: intensity, abs-dx, abs-dy, abs-dxx, abs-dyy.
FeatureSet texture_features();

/// |Gabor| at scales x orientations: with z a position in pixels and wave vectors k of length (pi/2) / sqrt(2)^u and
/// angle pi v / orientations, the magnitude of the picture convolved with
/// |k|^2/s^2 exp(-|k|^2 |z|^2 / (2 s^2)) exp(i k.z), s = 2 pi, its constant part left out. The picture goes on beyond
/// its edges as the edge is, for three deviations of the widest filter, and then repeats.
FeatureSet gabor_wavelets(Index scales, Index orientations);

/// The features of the paper's face descriptors: intensity, x, y and Gabor wavelets at 5 scales x 8 orientations.
FeatureSet gabor_features();

/// Reads a list such as "intensity,x,y,abs-dx,gabor:5x8". Throws InvalidInput, with all names, for one that is not
/// known, and for one that stands twice.
FeatureSet parse_features(std::string_view list);

/// The names that parse_features knows, with what they mean.
struct NamedFeature {
  std::string_view name;
  std::string_view meaning;
};
std::span<const NamedFeature> named_features();

/// The maps of one picture. Throws InvalidInput if the set gives another number of maps than names, or another size.
std::vector<Matrix> feature_maps(const FeatureSet& features, const Image& image);

}  // namespace dsk
