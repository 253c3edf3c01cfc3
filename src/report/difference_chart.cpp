#include <dsk/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/rows.hpp"
#include "report/text.hpp"

namespace dsk {
namespace {

using namespace report;

constexpr double dot = 3;
constexpr std::size_t most_dots = 400;

std::vector<double> drawable(const std::vector<double>& values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), is_drawable);
  return kept;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value / static_cast<double>(values.size());
  return values.empty() ? std::nan("") : sum;
}

/// Evenly spaced in order of size, so that the shape of the distribution remains.
std::vector<double> thinned(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (values.size() <= most_dots) return values;
  std::vector<double> kept(most_dots);
  for (std::size_t k = 0; k < most_dots; ++k) kept[k] = values[k * (values.size() - 1) / (most_dots - 1)];
  return kept;
}

/// Dots at nearly the same place stand above and below each other, as far as the row is high.
std::string dots(const std::vector<double>& values, const Rows& rows, double y) {
  std::map<long, std::vector<double>> bins;
  for (const double value : values) bins[std::lround(rows.x(value) / (2 * dot))].push_back(rows.x(value));
  std::string path;
  for (const auto& [bin, places] : bins) {
    const double most = rows.half_strip() - dot, count = static_cast<double>(places.size());
    const double step = count > 1 ? std::min(2 * dot + 0.4, 2 * most / (count - 1)) : 0;
    for (std::size_t k = 0; k < places.size(); ++k)
      path += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", at(places[k]),
                          at(y + (static_cast<double>(k) - (count - 1) / 2) * step), dot);
  }
  return "<g class=\"split\">" + path + "</g>";
}

}  // namespace

void Page::add_difference_chart(const DifferenceChart& chart) {
  const std::size_t count = std::min(chart.rows.size(), most_rows);
  if (count == 0) {
    body_ += empty_figure(chart.caption);
    return;
  }
  Range range;
  range.include(0);
  std::vector<std::vector<double>> shown;
  std::vector<double> means;
  bool is_thinned = false;
  for (std::size_t r = 0; r < count; ++r) {
    const std::vector<double> values = drawable(chart.rows[r].differences);
    for (const double value : values) range.include(value);
    means.push_back(mean(values));
    shown.push_back(thinned(values));
    is_thinned = is_thinned || values.size() > most_dots;
  }
  range = range.padded(0.04);

  std::vector<RowText> texts;
  std::string label = "Mean differences to the baseline:";
  for (std::size_t r = 0; r < count; ++r) {
    const std::string value =
        fmt::format("{}{}", means[r] > 0 ? "+" : "", number(means[r], decimals_beside_axis(range)));
    texts.push_back({chart.rows[r].name, value});
    label += fmt::format(" {} {};", chart.rows[r].name, value);
  }
  const auto draw = [&](double width) {
    const Rows rows(width, texts, range, 36);
    std::string marks = rows.axis(chart.axis);
    marks += fmt::format("<path class=\"zero\" d=\"M{} {}V{}\"/>", at(rows.x(0)), at(rows.top()), at(rows.bottom()));
    marks += rows.texts();
    for (std::size_t r = 0; r < count; ++r) {
      marks += dots(shown[r], rows, rows.y(r));
      if (is_drawable(means[r]))
        marks += fmt::format("<path class=\"average\" d=\"M{} {}v{}\"/>", at(rows.x(means[r])),
                             at(rows.y(r) - rows.half_strip()), at(2 * rows.half_strip()));
    }
    return Drawing{width, rows.height(), marks};
  };
  std::string note = rows_note(chart.rows.size());
  if (is_thinned) note += fmt::format("{}At most {} splits of a row are drawn.", note.empty() ? "" : " ", most_dots);
  body_ += figure(svg_for_any_screen(draw, label), chart.caption, note);
}

}  // namespace dsk
