#pragma once

#include <dsk/describe.hpp>
#include <dsk/matrices.hpp>

#include <opencv2/core.hpp>

#include <cstdint>
#include <filesystem>
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

/// While an object of this class exists, OpenCV does not start threads, because pictures are processed in parallel, and
/// does not write log messages.
class QuietOpenCv {
 public:
  QuietOpenCv();
  ~QuietOpenCv();
  QuietOpenCv(const QuietOpenCv&) = delete;
  QuietOpenCv& operator=(const QuietOpenCv&) = delete;
};

/// The size of a picture according to its header. Does not use a decoder, because decoders allocate as much memory as
/// an invalid header claims to need. Throws InvalidInput (without the file name) if this is not a png, jpg, bmp, tif or
/// pgm/ppm picture, is visibly truncated or corrupted, or if the size is impossible for so few bytes.
Size picture_size(std::span<const std::uint8_t> bytes);

/// The value of white after OpenCV has decoded a pgm or ppm picture, which can be smaller than the largest value of its
/// type; 0 for other pictures.
double white_of(std::span<const std::uint8_t> bytes);

/// Throws InvalidInput if a picture cannot be made this large.
void check_resize(const Size& size);

/// The number of pixels of a picture according to its header, or 0 if it cannot be read.
Index claimed_pixels(const std::filesystem::path& path);

/// A view of the matrix. OpenCV has no read-only views: do not write to it.
inline cv::Mat as_opencv(const Matrix& matrix) {
  return {static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()), CV_64F, const_cast<double*>(matrix.data())};
}

}  // namespace dsk::detail
