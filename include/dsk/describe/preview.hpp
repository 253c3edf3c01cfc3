#pragma once

#include <dsk/describe/features.hpp>

namespace dsk {

/// What is shown of one picture.
struct PicturePreview {
  std::string title = {};
  Image image = {};
  std::vector<std::string> names = {};
  std::vector<Matrix> maps = {};
  std::vector<Region> regions = {};  ///< drawn into the picture, the first in colour
  Matrix covariance = {};            ///< of the first region
};

/// A png file, as bytes: the picture with its regions, its feature maps, and the covariance as a heat map.
std::string preview_png(const PicturePreview& preview);

/// What is shown of one trial: the signals that its covariance was estimated from, a row each.
struct SeriesPreview {
  std::string title = {};
  Matrix signals = {};
  Matrix covariance = {};
};

std::string preview_png(const SeriesPreview& preview);

}  // namespace dsk
