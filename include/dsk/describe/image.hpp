#pragma once

#include <dsk/spd/error.hpp>
#include <dsk/spd/matrix.hpp>

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace dsk {

/// Intensities, one row per line of pixels.
struct Image {
  Matrix grey;
  std::vector<Matrix> colours = {};  ///< red, green, blue; empty for a grey picture

  Index width() const { return grey.cols(); }
  Index height() const { return grey.rows(); }
};

struct Size {
  Index width = 0;
  Index height = 0;

  /// Reads "256x256"; `what` names it if it is no such thing.
  static Size parse(std::string_view text, std::string_view what);
};

/// A rectangle of pixels.
struct Region {
  Index x = 0;
  Index y = 0;
  Index width = 0;
  Index height = 0;
};

/// The picture cut into `tiles.width` columns and `tiles.height` rows, row by row. What does not divide evenly gives
/// tiles that differ by a pixel. Throws InvalidInput if there are more tiles than pixels in a direction.
std::vector<Region> tile_regions(const Size& picture, const Size& tiles);

/// All windows of a size whose corners are `step` pixels apart, row by row. Throws InvalidInput if none fits.
std::vector<Region> window_regions(const Size& picture, const Size& window, Index step);

struct ReadOptions {
  double range = 1;                 ///< what the brightest pixel that the file could hold becomes
  std::optional<Size> resize = {};  ///< by area averages if smaller, else linear
};

/// Reads a png, jpg, bmp, tif or pgm/ppm file of 8, 16 or 32 bits; transparency is left out, and grey of a coloured
/// picture is 0.299 red + 0.587 green + 0.114 blue. Throws InvalidInput with the file's name and what is wrong with it.
/// Memory is asked for only if the file could hold the pixels that its header claims.
Image read_image(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace dsk
