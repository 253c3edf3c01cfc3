// Charts with two axes of numbers: lines, and clouds of points.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "report/report.hpp"
#include "report/style.hpp"

namespace dsk {
namespace {

using namespace drawing;

constexpr std::size_t most_series = 30, most_line_points = 600, most_with_dots = 25;
constexpr double lines_top = 30, lines_height = 230;

struct Point {
  double x, y;
  double low = y, high = y;  ///< the ends of the error bar
};

/// Runs of consecutive drawable points.
using Line = std::vector<std::vector<Point>>;

double placed(double value, bool logarithmic) {
  if (!logarithmic) return value;
  return value > 0 ? std::log10(value) : std::nan("");
}

/// Keeps the first, last, lowest and highest point of each section of the line, which preserves its outline.
std::vector<Point> thinned(const std::vector<Point>& points) {
  if (points.size() <= most_line_points) return points;
  std::vector<Point> kept;
  constexpr std::size_t stretches = most_line_points / 4;
  for (std::size_t s = 0; s < stretches; ++s) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(s * points.size() / stretches);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>((s + 1) * points.size() / stretches);
    const auto [low, high] = std::minmax_element(begin, end, [](const Point& a, const Point& b) { return a.y < b.y; });
    auto places = {begin, std::min(low, high), std::max(low, high), end - 1};
    auto previous = points.end();
    for (const auto place : places) {
      if (place != previous) kept.push_back(*place);
      previous = place;
    }
  }
  return kept;
}

Line line_of(const LineSeries& series, const LineChart& chart) {
  Line line(1);
  for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
    Point point{placed(series.x[k], chart.logarithmic_x), placed(series.y[k], chart.logarithmic_y)};
    if (k < series.error.size()) {
      const double low = placed(series.y[k] - series.error[k], chart.logarithmic_y);
      const double high = placed(series.y[k] + series.error[k], chart.logarithmic_y);
      if (is_drawable(low) && is_drawable(high)) point.low = low, point.high = high;
    }
    if (is_drawable(point.x) && is_drawable(point.y))
      line.back().push_back(point);
    else if (!line.back().empty())
      line.emplace_back();
  }
  for (std::vector<Point>& run : line) run = thinned(run);
  return line;
}

std::string drawn(const Line& line, std::size_t series, const AxisScale& x, const AxisScale& y) {
  std::size_t count = 0;
  for (const auto& run : line) count += run.size();
  constexpr double half_cap = 4;
  std::string path, dots, bars;
  for (const auto& run : line) {
    for (std::size_t k = 0; k < run.size(); ++k) {
      if (run[k].low < run[k].high)
        bars += fmt::format("M{0} {1}V{2}M{3} {1}h{4}M{3} {2}h{4}", at(x(run[k].x)), at(y(run[k].low)),
                            at(y(run[k].high)), at(x(run[k].x) - half_cap), at(2 * half_cap));
      path += fmt::format("{}{} {}", k == 0 ? 'M' : 'L', at(x(run[k].x)), at(y(run[k].y)));
      if (count <= most_with_dots || run.size() == 1) dots += shape(0, x(run[k].x), y(run[k].y), 3);
    }
  }
  std::string marks;
  if (!bars.empty()) marks += fmt::format("<path class=\"error {}\" d=\"{}\"/>", colour_class(series), bars);
  if (!path.empty())
    marks += fmt::format("<path class=\"line {} {}\" d=\"{}\"/>", colour_class(series), dash_class(series), path);
  if (!dots.empty()) marks += fmt::format("<path class=\"solid {}\" d=\"{}\"/>", colour_class(series), dots);
  return marks;
}

Drawing draw_lines(const LineChart& chart, const std::vector<Line>& lines, double width) {
  Range horizontal, vertical;
  for (const Line& line : lines)
    for (const auto& run : line)
      for (const Point& point : run) {
        horizontal.include(point.x);
        vertical.include(point.low);
        vertical.include(point.high);
      }
  const AxisScale y{vertical.padded(0.06), lines_top + lines_height, lines_top};
  const Ticks y_ticks = chart.logarithmic_y ? decade_ticks(y.range, 6) : round_ticks(y.range, 6);
  double left = 20;
  for (const Tick& tick : y_ticks.marks) left = std::max(left, text_width(tick.label, font_size) + 10);
  const AxisScale x{horizontal.padded(0.02), left, width - 10};
  std::string marks = left_axis(y, y_ticks, left, width - 10, chart.y_axis);
  marks += bottom_axis(x, ticks_that_fit(x, chart.logarithmic_x), lines_top, lines_top + lines_height, width,
                       chart.x_axis, false);
  for (std::size_t s = lines.size(); s-- > 0;) marks += drawn(lines[s], s, x, y);
  return {width, lines_top + lines_height + bottom_axis_height, marks};
}

/// The lines and names of the series that are drawn.
struct DrawnSeries {
  std::vector<Line> lines = {};
  std::vector<std::string> names = {};
  std::string label = "Line chart:";
  bool has_points = false;
};

DrawnSeries drawn_series(const LineChart& chart) {
  DrawnSeries result;
  for (std::size_t s = 0; s < std::min(chart.series.size(), most_series); ++s) {
    result.lines.push_back(line_of(chart.series[s], chart));
    result.names.push_back(chart.series[s].name);
    result.has_points = result.has_points || !result.lines.back().front().empty();
    result.label += fmt::format(" {};", chart.series[s].name);
  }
  return result;
}

/// A legend in rows as wide as the drawing, which is moved down by its height.
Drawing with_legend(const Drawing& drawing, const std::vector<std::string>& names) {
  constexpr double row_height = 20, sample = 30, gap = 22;
  double x = 0, y = 14;
  std::string legend;
  for (std::size_t s = 0; s < names.size(); ++s) {
    const double width = sample + 6 + text_width(names[s], font_size) + gap;
    if (x > 0 && x + width > drawing.width) x = 0, y += row_height;
    legend += fmt::format("<path class=\"line {} {}\" d=\"M{} {}h{}\"/>", colour_class(s), dash_class(s), at(x + 1),
                          at(y - 4), at(sample - 1)) +
              text_at(x + sample + 6, y, names[s], "");
    x += width;
  }
  const double height = y + 10;
  return {drawing.width, drawing.height + height,
          fmt::format("{}<g transform=\"translate(0 {})\">{}</g>", legend, at(height), drawing.marks)};
}

}  // namespace

void Page::add_line_chart(const LineChart& chart) {
  const DrawnSeries series = drawn_series(chart);
  if (!series.has_points) {
    body_ += empty_figure(chart.caption);
    return;
  }
  const auto draw = [&](double width) { return draw_lines(chart, series.lines, width); };
  body_ += figure((series.names.size() > 1 ? line_legend(series.names) : "") + svg_for_any_screen(draw, series.label),
                  chart.caption,
                  chart.series.size() > most_series
                      ? fmt::format("The first {} of {} series are drawn.", most_series, chart.series.size())
                      : "");
}

std::string line_chart_svg(const LineChart& chart) {
  constexpr double margin = 12;
  const DrawnSeries series = drawn_series(chart);
  Drawing drawing = series.has_points ? draw_lines(chart, series.lines, wide)
                                      : Drawing{wide, 40, text_at(0, 20, "No data to draw.", "")};
  if (series.names.size() > 1) drawing = with_legend(drawing, series.names);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0} {0} {1} {2}\" width=\"{1}\" height=\"{2}\" "
      "role=\"img\" aria-label=\"{3}\"><title>{4}</title>\n<style>{5}{6}"
      "svg {{ background: var(--paper); font-family: system-ui, \"Helvetica Neue\", Arial, sans-serif; }}</style>\n"
      "{7}</svg>\n",
      at(-margin), at(drawing.width + 2 * margin), at(drawing.height + 2 * margin), escaped(series.label),
      escaped(chart.caption), colour_style, drawing_style, drawing.marks);
}

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
