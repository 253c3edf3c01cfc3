#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "describe/pictures.hpp"

namespace dsk {
namespace {

using detail::Canvas;
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
    const double x = box.x + (best + gap) * (k % columns),
                 y = box.y + (best * proportion + name_height + gap) * (k / columns);
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
