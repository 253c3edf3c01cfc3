#pragma once

#include <dsk/matrices.hpp>

#include <opencv2/core.hpp>

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

/// A view of the matrix. OpenCV has no read-only views: do not write to it.
inline cv::Mat as_opencv(const Matrix& matrix) {
  return {static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()), CV_64F, const_cast<double*>(matrix.data())};
}

}  // namespace dsk::detail
