// Draws a preview of what is described.

#include <dsk/describe.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "describe/pictures.hpp"

namespace dsk {
namespace {

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
  detail::as_opencv(values).convertTo(bytes, CV_8U, scale, -low * scale);
  return bytes;
}

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

using Box = Canvas::Box;
using Align = Canvas::Align;

constexpr double margin = 28, top = 92, panel = 400;

void caption(Canvas& canvas, const std::string& text, double x) {
  canvas.text(text, x, top - 14, 13, Align::left);
}

/// Cells coloured by correlation, with numbers if there are few features.
void heat_map(Canvas& canvas, const Matrix& covariance, std::span<const std::string> names, const Box& box) {
  const Index dim = covariance.rows();
  const double cell = box.width / static_cast<double>(dim);
  constexpr Index most_numbers = 8, most_names = 16;
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < dim; ++c) {
      const double unit = std::sqrt(covariance(r, r)) * std::sqrt(covariance(c, c));
      const double shade = unit > 0 ? covariance(r, c) / unit : 0;
      const Box place{box.x + cell * static_cast<double>(c), box.y + cell * static_cast<double>(r), cell, cell};
      canvas.fill(place, Canvas::signed_colour(shade));
      if (dim <= most_numbers)
        canvas.text(fmt::format("{:.2g}", covariance(r, c)), place.x + cell / 2, place.y + cell / 2 + 4, 11,
                    Align::centre, std::abs(shade) > 0.5 ? cv::Scalar(255, 255, 255) : Canvas::ink);
    }
    if (dim <= most_names && !names.empty())
      canvas.text(names[static_cast<std::size_t>(r)], box.x - 8, box.y + cell * (static_cast<double>(r) + 0.5) + 4, 11,
                  Align::right);
  }
  canvas.frame(box, Canvas::pale);
  const double legend = box.y + box.height + 22, width = box.width / 2;
  constexpr int steps = 60;
  for (int k = 0; k < steps; ++k)
    canvas.fill({box.x + width / 2 + width * k / steps, legend - 9, width / steps + 0.5, 10},
                Canvas::signed_colour(2.0 * k / (steps - 1) - 1));
  canvas.text("-1", box.x + width / 2 - 8, legend, 11, Align::right);
  canvas.text("correlation 1", box.x + 1.5 * width + 8, legend, 11);
}

double label_width(std::span<const std::string> names) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  return names.empty() || names.size() > 16 ? 0 : 7.0 * static_cast<double>(longest) + 14;
}

/// Thumbnails with names, arranged in rows, as large as possible.
void thumbnails(Canvas& canvas, const PicturePreview& preview, const Box& box) {
  const auto count = static_cast<int>(preview.maps.size());
  const double proportion = static_cast<double>(preview.image.height()) / static_cast<double>(preview.image.width());
  const double name_height = count > 20 ? 0 : 20, gap = count > 20 ? 4 : 12;
  int columns = 1;
  double best = 0;
  for (int tried = 1; tried <= count; ++tried) {
    const double rows = std::ceil(static_cast<double>(count) / tried);
    const double width = std::min((box.width - gap * (tried - 1)) / tried,
                                  ((box.height - gap * (rows - 1)) / rows - name_height) / proportion);
    if (width > best) {
      best = width;
      columns = tried;
    }
  }
  for (int k = 0; k < count; ++k) {
    const int row = k / columns;
    const double x = box.x + (best + gap) * (k % columns), y = box.y + (best * proportion + name_height + gap) * row;
    canvas.picture(preview.maps[static_cast<std::size_t>(k)], {x, y, best, best * proportion}, true);
    if (name_height > 0) canvas.text(preview.names[static_cast<std::size_t>(k)], x, y + best * proportion + 14, 11);
  }
}

void draw_regions(Canvas& canvas, const PicturePreview& preview, const Box& place) {
  const double scale = place.width / static_cast<double>(preview.image.width());
  for (std::size_t k = preview.regions.size(); k-- > 0;) {
    const Region& region = preview.regions[k];
    const Box box{place.x + scale * static_cast<double>(region.x), place.y + scale * static_cast<double>(region.y),
                  scale * static_cast<double>(region.width), scale * static_cast<double>(region.height)};
    if (k == 0)
      canvas.frame(box, Canvas::accent, 2.5);
    else
      canvas.frame(box, cv::Scalar(255, 255, 255), 0.7);
  }
}

}  // namespace

std::string preview_png(const PicturePreview& preview) {
  if (preview.maps.empty() || preview.maps.size() != preview.names.size() || preview.image.grey.size() == 0 ||
      preview.covariance.rows() != static_cast<Index>(preview.maps.size()))
    throw InvalidInput("a preview needs a picture, a map and a name for each feature, and their covariance");
  const detail::QuietOpenCv quiet;
  const double names = label_width(preview.names), maps_width = 520;
  const double maps_at = 2 * margin + panel, heat_at = maps_at + maps_width + margin + names;
  Canvas canvas(static_cast<int>(heat_at + panel + margin), static_cast<int>(top + panel + 44));
  canvas.text(preview.title, margin, 44, 17);
  caption(canvas, fmt::format("picture, {} x {}", preview.image.width(), preview.image.height()), margin);
  const Box place = canvas.picture(preview.image.grey, {margin, top, panel, panel}, false);
  if (preview.regions.size() > 1) draw_regions(canvas, preview, place);
  caption(canvas, fmt::format("{} features at every pixel", preview.maps.size()), maps_at);
  thumbnails(canvas, preview, {maps_at, top, maps_width, panel});
  caption(canvas, preview.regions.size() > 1 ? "covariance of the marked region" : "covariance", heat_at);
  heat_map(canvas, preview.covariance, preview.names, {heat_at, top, panel, panel});
  return canvas.png();
}

std::string preview_png(const SeriesPreview& preview) {
  const Index channels = preview.signals.rows(), samples = preview.signals.cols();
  if (channels < 1 || samples < 2 || preview.covariance.rows() != channels)
    throw InvalidInput("a preview needs signals and their covariance");
  const detail::QuietOpenCv quiet;
  const double traces = 760, heat_at = 2 * margin + traces;
  Canvas canvas(static_cast<int>(heat_at + panel + margin), static_cast<int>(top + panel + 44));
  canvas.text(preview.title, margin, 44, 17);
  caption(canvas, fmt::format("{} signals of {} samples", channels, samples), margin);
  const double height = panel / static_cast<double>(channels);
  for (Index c = 0; c < channels; ++c) {
    const auto signal = preview.signals.row(c);
    const double low = signal.minCoeff(), spread = signal.maxCoeff() - low;
    std::vector<double> x, y;
    for (Index s = 0; s < samples; ++s) {
      x.push_back(margin + traces * static_cast<double>(s) / static_cast<double>(samples - 1));
      const double level = spread > 0 ? (signal[s] - low) / spread : 0.5;
      y.push_back(top + height * (static_cast<double>(c) + 0.95 - 0.9 * level));
    }
    canvas.line(x, y, c % 2 == 0 ? Canvas::ink : cv::Scalar(150, 85, 30));
  }
  caption(canvas, "covariance", heat_at);
  heat_map(canvas, preview.covariance, {}, {heat_at, top, panel, panel});
  return canvas.png();
}

std::string preview_png(const PictureFolder& pictures, const PictureOptions& options, const PictureResult& result) {
  return preview_png(preview_of(pictures, options, result));
}

std::string preview_png(std::span<const MatrixView> trials, const SeriesOptions& options, const SeriesResult& result) {
  const Index shown = result.kept[0];
  return preview_png(SeriesPreview{.title = fmt::format("trial {}", shown),
                                   .signals = filter_bank(trials[static_cast<std::size_t>(shown)], options),
                                   .covariance = result.matrices[0]});
}

}  // namespace dsk
