#pragma once

#include <dsk/matrices.hpp>

#include <opencv2/core.hpp>

#include <span>
#include <string>

namespace dsk::detail {

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
