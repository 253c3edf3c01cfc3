#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

using namespace drawing;

constexpr std::size_t most_bars = 200;
constexpr double bars_top = 30, bars_height = 190, panel_width = 340, panel_height = 90;

/// The means of groups of equal size; the last group may be smaller.
std::vector<double> means_of_groups(const std::vector<double>& values, std::size_t group) {
  std::vector<double> means;
  for (std::size_t start = 0; start < values.size(); start += group) {
    double sum = 0;
    long count = 0;
    for (std::size_t k = start; k < std::min(start + group, values.size()); ++k)
      if (is_drawable(values[k])) {
        sum += values[k];
        ++count;
      }
    means.push_back(count > 0 ? sum / static_cast<double>(count) : std::nan(""));
  }
  return means;
}

double widest_label(const Ticks& ticks) {
  double width = 0;
  for (const Tick& tick : ticks.marks) width = std::max(width, text_width(tick.label, font_size));
  return width;
}

/// Names under all bars if they fit, otherwise numbers under some bars.
Ticks bar_ticks(const BarChart& chart, const AxisScale& x, std::size_t group) {
  if (group == 1 && chart.names.size() == chart.values.size()) {
    const double room = x(2) - x(1) - 8;
    Ticks ticks;
    for (std::size_t k = 0; k < chart.names.size(); ++k)
      ticks.marks.push_back({static_cast<double>(k + 1), shortened(chart.names[k], font_size, room)});
    const bool fit = std::none_of(chart.names.begin(), chart.names.end(), [&](const std::string& name) {
      return text_width(shortened(name, font_size, room), font_size) > room;
    });
    if (fit && room > 24) return ticks;
  }
  Ticks ticks = ticks_that_fit(x, false);
  std::erase_if(ticks.marks, [](const Tick& tick) { return tick.value != std::round(tick.value); });
  for (Tick& tick : ticks.marks) tick.label = number(tick.value, 0);
  const bool has_first = !ticks.marks.empty() && ticks.marks.front().value == 1;
  if (!has_first && (ticks.marks.empty() || x(ticks.marks.front().value) - x(1) > 24))
    ticks.marks.insert(ticks.marks.begin(), {1, "1"});
  return ticks;
}

/// From zero to all values.
Range bar_range(const std::vector<std::vector<double>>& charts, std::optional<double> reference) {
  Range range;
  range.include(0);
  for (const std::vector<double>& bars : charts)
    for (const double value : bars) range.include(value);
  if (reference) range.include(*reference);
  const bool negative = range.low < 0;
  range = range.padded(0.05);
  if (!negative) range.low = 0;
  return range;
}

/// The space for the bars.
struct BarFrame {
  double width, height;
  Range range;
};

Drawing draw_bars(const BarChart& chart, const std::vector<double>& bars, std::size_t group, const BarFrame& frame) {
  const double width = frame.width, bottom = bars_top + frame.height;
  const bool negative = frame.range.low < 0;
  const AxisScale y{frame.range, bottom, bars_top};
  const Ticks y_ticks = round_ticks(frame.range, frame.height < bars_height ? 3 : 5);
  const double left = widest_label(y_ticks) + 10;
  const auto count = static_cast<double>(bars.size());
  const double last = std::max(1.0, static_cast<double>(chart.values.size()));
  const double half = static_cast<double>(group) / 2;
  const AxisScale x{{0.5, half == 0.5 ? last + 0.5 : count * 2 * half + 0.5}, left, width - 4};
  std::string marks = left_axis(y, y_ticks, left, width - 4, chart.y_axis);
  const double slot = (x.to - x.from) / count;
  const double thick = std::min(slot > 5 ? slot * 0.72 : slot * 0.85, 46.0);
  std::string path, absent;
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const double centre = x.from + (static_cast<double>(k) + 0.5) * slot;
    if (is_drawable(bars[k]))
      path += fmt::format("M{:.2f} {}h{:.2f}V{}h-{:.2f}z", centre - thick / 2, at(y(0)), thick, at(y(bars[k])), thick);
    else
      absent += fmt::format("M{:.2f} {}h{:.2f}v-3h-{:.2f}z", centre - thick / 2, at(y(0)), thick, thick);
  }
  marks += fmt::format("<path class=\"bar\" d=\"{}M0 0\"/><path class=\"bar missing\" d=\"{}M0 0\"/>", path, absent);
  marks += bottom_axis(x, bar_ticks(chart, x, group), bars_top, bottom, width, chart.x_axis, false);
  if (negative) marks += fmt::format("<path class=\"zero\" d=\"M{} {}H{}\"/>", at(left), at(y(0)), at(width - 4));
  if (chart.reference && is_drawable(*chart.reference))
    marks += fmt::format("<path class=\"across\" d=\"M{} {}H{}\"/>", at(left), at(y(*chart.reference)), at(width - 4));
  return {width, bottom + bottom_axis_height, marks};
}

std::size_t bars_in_group(std::size_t values) {
  return (values + most_bars - 1) / most_bars;
}

std::string note_on_groups(std::size_t group) {
  return group > 1 ? fmt::format("Each bar is the mean of {} values.", group) : "";
}

/// More names than this are listed below the panels, whose bars then have numbers.
constexpr std::size_t most_named_bars = 8;

std::string note_on_names(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t k = 0; k < names.size(); ++k) list += fmt::format("{}{} {}", k == 0 ? "" : ", ", k + 1, names[k]);
  return list;
}

/// For screen readers.
std::string bar_label(const std::vector<double>& values) {
  Range range;
  for (const double value : values) range.include(value);
  return fmt::format("Bar chart of {} values from {} to {}", values.size(),
                     short_number(range.is_empty() ? std::nan("") : range.low),
                     short_number(range.is_empty() ? std::nan("") : range.high));
}

}  // namespace

void Page::add_bar_chart(const BarChart& chart) {
  if (chart.values.empty()) {
    body_ += empty_figure(chart.caption);
    return;
  }
  const std::size_t group = bars_in_group(chart.values.size());
  const std::vector<double> bars = means_of_groups(chart.values, group);
  const Range range = bar_range({bars}, chart.reference);
  const auto draw = [&](double width) { return draw_bars(chart, bars, group, {width, bars_height, range}); };
  body_ += figure(svg_for_any_screen(draw, bar_label(chart.values)), chart.caption, note_on_groups(group));
}

void Page::add_bar_panels(const BarPanels& panels) {
  const std::size_t group = panels.values.empty() ? 0 : bars_in_group(panels.values.front().size());
  if (group == 0) {
    body_ += empty_figure(panels.caption);
    return;
  }
  std::vector<std::vector<double>> bars;
  for (const std::vector<double>& values : panels.values) bars.push_back(means_of_groups(values, group));
  const Range range = bar_range(bars, {});
  const bool listed = group == 1 && panels.names.size() > most_named_bars;
  std::string content;
  for (std::size_t p = 0; p < bars.size(); ++p) {
    const BarChart chart{.x_axis = panels.x_axis,
                         .y_axis = panels.y_axis,
                         .values = panels.values[p],
                         .names = listed ? std::vector<std::string>() : panels.names};
    const std::string title = p < panels.titles.size() ? panels.titles[p] : "";
    content += fmt::format("<div><p>{}</p>{}</div>\n", escaped(title),
                           svg(draw_bars(chart, bars[p], group, {panel_width, panel_height, range}),
                               fmt::format("{}: {}", title, bar_label(panels.values[p])), "square"));
  }
  body_ += figure("<div class=\"pair\">" + content + "</div>", panels.caption,
                  listed ? note_on_names(panels.names) : note_on_groups(group));
}

}  // namespace dsk
