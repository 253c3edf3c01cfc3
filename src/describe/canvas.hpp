#pragma once

#include <dsk/matrices.hpp>

#include <opencv2/core.hpp>

#include <span>
#include <string>

namespace dsk::detail {

/// A white sheet to draw on, in pixels of the finished picture; drawn finer and averaged, so that lines are smooth.
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
  /// Values through a palette, from their first to their last percentile; keeps the proportions and returns where it
  /// is.
  Box picture(const Matrix& values, const Box& box, bool in_colour);
  void line(std::span<const double> x, std::span<const double> y, const cv::Scalar& colour);
  /// From red by way of white to blue for -1 to 1.
  static cv::Scalar signed_colour(double value);

  std::string png() const;

  static const cv::Scalar ink, pale, accent;

 private:
  cv::Mat pixels_;
};

}  // namespace dsk::detail
