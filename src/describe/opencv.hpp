#pragma once

#include <dsk/matrices.hpp>

#include <opencv2/core.hpp>

namespace dsk::detail {

/// While any of these lives OpenCV starts no threads of its own and writes no log: we share out the pictures, and a
/// library does not print.
class QuietOpenCv {
 public:
  QuietOpenCv();
  ~QuietOpenCv();
  QuietOpenCv(const QuietOpenCv&) = delete;
  QuietOpenCv& operator=(const QuietOpenCv&) = delete;
};

/// The same numbers, without a copy. OpenCV has no constant view: do not write through it.
inline cv::Mat as_opencv(const Matrix& matrix) {
  return {static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()), CV_64F, const_cast<double*>(matrix.data())};
}

}  // namespace dsk::detail
