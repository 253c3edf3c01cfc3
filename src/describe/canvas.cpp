#include "describe/pictures.hpp"

#include <dsk/matrices.hpp>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dsk::detail {
namespace {

constexpr int fineness = 3;
constexpr int font = cv::FONT_HERSHEY_SIMPLEX;
constexpr double font_height = 22;  // of capital letters at scale 1

int fine(double value) {
  return static_cast<int>(std::lround(value * fineness));
}

cv::Rect fine(const Canvas::Box& box) {
  return {fine(box.x), fine(box.y), std::max(1, fine(box.width)), std::max(1, fine(box.height))};
}

/// Values as bytes: the first percentile is 0, the last is 255.
cv::Mat as_bytes(const Matrix& values) {
  std::vector<double> sorted(values.data(), values.data() + values.size());
  const auto at = [&](double share) {
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
  };
  const double low = at(0.01), high = at(0.99);
  cv::Mat bytes;
  const double scale = high > low ? 255 / (high - low) : 0;
  as_opencv(values).convertTo(bytes, CV_8U, scale, -low * scale);
  return bytes;
}

}  // namespace

// Blue, green, red.
const cv::Scalar Canvas::ink(60, 50, 45);
const cv::Scalar Canvas::pale(225, 220, 215);
const cv::Scalar Canvas::accent(40, 120, 250);

Canvas::Canvas(int width, int height) : pixels_(fine(height), fine(width), CV_8UC3, cv::Scalar(255, 255, 255)) {}

void Canvas::text(const std::string& what, double x, double y, double size, Align align, const cv::Scalar& colour) {
  const double scale = size * fineness / font_height * 0.72;
  const int thickness = std::max(1, fine(size / 13.0));
  int below = 0;
  const cv::Size extent = cv::getTextSize(what, font, scale, thickness, &below);
  const int shift = align == Align::left ? 0 : align == Align::right ? extent.width : extent.width / 2;
  cv::putText(pixels_, what, {fine(x) - shift, fine(y)}, font, scale, colour, thickness, cv::LINE_AA);
}

void Canvas::frame(const Box& box, const cv::Scalar& colour, double thickness) {
  cv::rectangle(pixels_, fine(box), colour, std::max(1, fine(thickness)), cv::LINE_AA);
}

void Canvas::fill(const Box& box, const cv::Scalar& colour) {
  cv::rectangle(pixels_, fine(box), colour, cv::FILLED);
}

Canvas::Box Canvas::picture(const Matrix& values, const Box& box, bool in_colour) {
  const double scale =
      std::min(box.width / static_cast<double>(values.cols()), box.height / static_cast<double>(values.rows()));
  Box used{box.x, box.y, scale * static_cast<double>(values.cols()), scale * static_cast<double>(values.rows())};
  const cv::Rect place = fine(used) & cv::Rect(0, 0, pixels_.cols, pixels_.rows);
  cv::Mat resized, coloured;
  const bool smaller = place.width < values.cols();
  cv::resize(as_bytes(values), resized, place.size(), 0, 0, smaller ? cv::INTER_AREA : cv::INTER_LINEAR);
  if (in_colour)
    cv::applyColorMap(resized, coloured, cv::COLORMAP_VIRIDIS);
  else
    cv::cvtColor(resized, coloured, cv::COLOR_GRAY2BGR);
  coloured.copyTo(pixels_(place));
  return used;
}

void Canvas::line(std::span<const double> x, std::span<const double> y, const cv::Scalar& colour) {
  std::vector<cv::Point> points;
  for (std::size_t k = 0; k < x.size(); ++k) points.emplace_back(fine(x[k]), fine(y[k]));
  cv::polylines(pixels_, points, false, colour, fineness, cv::LINE_AA);
}

cv::Scalar Canvas::signed_colour(double value) {
  const double strength = std::pow(std::min(1.0, std::abs(value)), 0.8);
  const cv::Scalar full = value < 0 ? cv::Scalar(43, 57, 192) : cv::Scalar(150, 85, 30);
  const cv::Scalar white(255, 255, 255);
  return white + (full - white) * strength;
}

std::string Canvas::png() const {
  cv::Mat averaged;
  cv::resize(pixels_, averaged, {pixels_.cols / fineness, pixels_.rows / fineness}, 0, 0, cv::INTER_AREA);
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", averaged, bytes)) throw InvalidInput("the preview cannot be encoded");
  return {bytes.begin(), bytes.end()};
}

}  // namespace dsk::detail
