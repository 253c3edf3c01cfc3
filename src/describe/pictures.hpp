#pragma once

#include <dsk/describe.hpp>
#include <dsk/matrices.hpp>

#include <opencv2/core.hpp>

#include <cstdint>
#include <span>
#include <string>

#include "describe/features/features.hpp"

namespace dsk {

/// The content of the preview of a picture.
struct PicturePreview {
  std::string title = {};
  Image image = {};
  std::vector<std::string> names = {};
  std::vector<Matrix> maps = {};
  std::vector<Region> regions = {};  ///< drawn into the picture, the first one in colour
  Matrix covariance = {};            ///< of the first region
};

/// The bytes of a png file that shows the picture with its regions, its feature maps, and the covariance as a heat map.
std::string preview_png(const PicturePreview& preview);

/// The content of the preview of a trial: the signals, one per row, and their covariance.
struct SeriesPreview {
  std::string title = {};
  Matrix signals = {};
  Matrix covariance = {};
};

std::string preview_png(const SeriesPreview& preview);

/// A preview of the first picture that could be described, with its first valid region in front. Throws InvalidInput if
/// there is none.
PicturePreview preview_of(const PictureFolder& pictures, const PictureOptions& options, const PictureResult& result);

}  // namespace dsk

namespace dsk::detail {

inline constexpr Index most_pixels = Index{1} << 27;

/// The size of a picture according to its header. Does not use a decoder, because decoders allocate as much memory as
/// an invalid header claims to need. Throws InvalidInput (without the file name) if this is not a png, jpg, bmp, tif or
/// pgm/ppm picture, is visibly truncated or corrupted, or if the size is impossible for so few bytes.
Size picture_size(std::span<const std::uint8_t> bytes);

/// The value of white after OpenCV has decoded a pgm or ppm picture, which can be smaller than the largest value of its
/// type; 0 for other pictures.
double white_of(std::span<const std::uint8_t> bytes);

/// While an object of this class exists, OpenCV does not start threads, because pictures are processed in parallel, and
/// does not write log messages.
class QuietOpenCv {
 public:
  QuietOpenCv();
  ~QuietOpenCv();
  QuietOpenCv(const QuietOpenCv&) = delete;
  QuietOpenCv& operator=(const QuietOpenCv&) = delete;
};

/// A view of the matrix. OpenCV has no read-only views: do not write to it.
inline cv::Mat as_opencv(const Matrix& matrix) {
  return {static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()), CV_64F, const_cast<double*>(matrix.data())};
}

/// A white canvas. Coordinates are in pixels of the result, which is drawn at a higher resolution and averaged.
class Canvas {
 public:
  Canvas(int width, int height);

  struct Box {
    double x, y, width, height;
  };

  enum class Align { left, centre, right };
  void text(const std::string& what, double x, double y, double size, Align align = Align::left,
            const cv::Scalar& colour = ink);
  void frame(const Box& box, const cv::Scalar& colour, double thickness = 1);
  void fill(const Box& box, const cv::Scalar& colour);
  /// Draws values with a palette from their first to their last percentile. Keeps the aspect ratio and returns the box
  /// used.
  Box picture(const Matrix& values, const Box& box, bool in_colour);
  void line(std::span<const double> x, std::span<const double> y, const cv::Scalar& colour);
  /// A colour from red (-1) through white (0) to blue (1).
  static cv::Scalar signed_colour(double value);

  std::string png() const;

  static const cv::Scalar ink, pale, accent;

 private:
  cv::Mat pixels_;
};

}  // namespace dsk::detail
