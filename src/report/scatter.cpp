#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

using namespace drawing;

constexpr std::size_t most_points = 2000;
constexpr double width = 340, dots_top = 1, right_edge = width - 1;

struct Cloud {
  std::vector<std::size_t> points;  ///< the points to draw
  Range horizontal, vertical;
  bool is_thinned = false;
};

Cloud cloud_of(const Scatter& scatter) {
  Cloud cloud;
  for (std::size_t k = 0; k < std::min(scatter.x.size(), scatter.y.size()); ++k)
    if (is_drawable(scatter.x[k]) && is_drawable(scatter.y[k])) {
      cloud.points.push_back(k);
      cloud.horizontal.include(scatter.x[k]);
      cloud.vertical.include(scatter.y[k]);
    }
  cloud.is_thinned = cloud.points.size() > most_points;
  if (cloud.is_thinned) {
    std::vector<std::size_t> kept(most_points);
    for (std::size_t k = 0; k < most_points; ++k) kept[k] = cloud.points[k * cloud.points.size() / most_points];
    cloud.points = kept;
  }
  return cloud;
}

/// A range of length `span` around the centre of `range`.
Range around(const Range& range, double span) {
  const double middle = range.low + (range.high - range.low) / 2;
  return {middle - span / 2, middle + span / 2};
}

/// The larger extent of the cloud, with a margin.
double common_span(const Cloud& cloud) {
  const double span = std::max(cloud.horizontal.high - cloud.horizontal.low, cloud.vertical.high - cloud.vertical.low);
  double size = 0;
  for (const Range& range : {cloud.horizontal, cloud.vertical})
    size = std::max({size, std::abs(range.low), std::abs(range.high)});
  if (span > 1e-9 * size && span > 1e-290) return 1.1 * span;
  return size > 1e-290 ? size / 10 : 2;
}

Ticks vertical_ticks(const Cloud& cloud) {
  return round_ticks(around(cloud.vertical, common_span(cloud)), 4);
}

std::string drawn_points(const Scatter& scatter, const Cloud& cloud, std::size_t classes, const AxisScale& x,
                         const AxisScale& y) {
  const double radius = cloud.points.size() > 600 ? 2.4 : 3.4;
  std::vector<std::string> paths(classes + 1);  // the last is for points without a class
  for (const std::size_t k : cloud.points) {
    const bool has_class =
        k < scatter.classes.size() && scatter.classes[k] >= 0 && static_cast<std::size_t>(scatter.classes[k]) < classes;
    const std::size_t series = has_class ? static_cast<std::size_t>(scatter.classes[k]) : classes;
    paths[series] +=
        fmt::format("<path d=\"{}\"/>", shape(has_class ? series : 0, x(scatter.x[k]), y(scatter.y[k]), radius));
  }
  std::string marks;
  for (std::size_t s = 0; s <= classes; ++s) {
    if (paths[s].empty()) continue;
    const bool named = s < classes;
    marks += fmt::format("<g class=\"{} {}\">{}</g>", named ? colour_class(s) : "unnamed",
                         named && is_open(s) ? "open" : "solid", paths[s]);
  }
  return marks;
}

/// The width of the labels to the left of the cloud.
double gutter(const Cloud& cloud) {
  double needed = 30;
  if (cloud.points.empty()) return needed;
  for (const Tick& tick : vertical_ticks(cloud).marks) needed = std::max(needed, text_width(tick.label, font_size) + 9);
  return needed;
}

std::string part(const Scatter& scatter, const Cloud& cloud, std::size_t classes, double left) {
  const std::string head = fmt::format("<div><p>{}</p>", escaped(scatter.caption));
  if (cloud.points.empty()) return head + "<p class=\"empty\">No data to draw.</p></div>\n";
  const double span = common_span(cloud);
  const double bottom = dots_top + right_edge - left;
  const AxisScale x{around(cloud.horizontal, span), left, right_edge},
      y{around(cloud.vertical, span), bottom, dots_top};
  std::string marks = fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", at(left),
                                  at(dots_top), at(right_edge - left), at(bottom - dots_top));
  for (const Tick& tick : ticks_that_fit(x, false).marks)
    if (const double half = text_width(tick.label, font_size) / 2;
        x(tick.value) - half > 0 && x(tick.value) + half < width)
      marks += text_at(x(tick.value), bottom + 17, tick.label, "tick middle");
  for (const Tick& tick : vertical_ticks(cloud).marks)
    if (y(tick.value) > dots_top + 7) marks += text_at(left - 7, y(tick.value) + 4, tick.label, "tick end");
  marks += drawn_points(scatter, cloud, classes, x, y);
  const std::string label =
      fmt::format("Scatter plot of {} points in {} classes: {}", cloud.points.size(), classes, scatter.caption);
  return head + svg({width, bottom + 24, marks}, label, "square") + "</div>\n";
}

}  // namespace

void Page::add_scatter_pair(const ScatterPair& pair) {
  const Cloud first = cloud_of(pair.left), second = cloud_of(pair.right);
  const std::size_t classes = pair.names.size();
  const double left = std::max(gutter(first), gutter(second));
  body_ += figure(
      "<div class=\"pair\">" + part(pair.left, first, classes, left) + part(pair.right, second, classes, left) +
          "</div>" + (classes > 0 ? shape_legend(pair.names) : ""),
      pair.caption,
      first.is_thinned || second.is_thinned ? fmt::format("At most {} points of a cloud are drawn.", most_points) : "");
}

}  // namespace dsk
