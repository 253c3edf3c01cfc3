#include <dsk/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/rows.hpp"
#include "report/text.hpp"

namespace dsk {
namespace {

using namespace report;

std::string drawn_row(const IntervalRow& row, const Rows& rows, double y, bool is_baseline) {
  std::string marks;
  const auto [low, high] = std::minmax(row.low, row.high);
  if (is_drawable(low) && is_drawable(high))
    marks += fmt::format("<path class=\"interval{}\" d=\"M{} {}H{}\"/>", is_baseline ? " base" : "", at(rows.x(low)),
                         at(y), at(rows.x(high)));
  if (is_drawable(row.mean))
    marks += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"4.5\"/>", is_baseline ? "hollow" : "mean",
                         at(rows.x(row.mean)), at(y));
  return marks;
}

}  // namespace

void Page::add_interval_chart(const IntervalChart& chart) {
  const std::size_t count = std::min(chart.rows.size(), most_rows);
  if (count == 0) {
    body_ += empty_figure(chart.caption);
    return;
  }
  Range range;
  for (std::size_t r = 0; r < count; ++r)
    for (const double value : {chart.rows[r].mean, chart.rows[r].low, chart.rows[r].high}) range.include(value);
  range = range.padded(0.04);

  const int decimals = decimals_beside_axis(range);
  std::vector<RowText> texts;
  std::string label = "Means and intervals:";
  for (std::size_t r = 0; r < count; ++r) {
    const IntervalRow& row = chart.rows[r];
    std::string value = number(row.mean, decimals);
    if (!std::isnan(row.low) && !std::isnan(row.high))
      value += fmt::format(" [{}, {}]", number(row.low, decimals), number(row.high, decimals));
    texts.push_back({row.name, value});
    label += fmt::format(" {} {};", row.name, value);
  }
  const bool has_baseline =
      chart.baseline && *chart.baseline < chart.rows.size() && is_drawable(chart.rows[*chart.baseline].mean);

  const auto draw = [&](double width) {
    const Rows rows(width, texts, range, 24);
    std::string marks = rows.axis(chart.axis);
    if (has_baseline)
      marks += fmt::format("<path class=\"reference\" d=\"M{} {}V{}\"/>", at(rows.x(chart.rows[*chart.baseline].mean)),
                           at(rows.top()), at(rows.bottom()));
    marks += rows.texts();
    for (std::size_t r = 0; r < count; ++r) marks += drawn_row(chart.rows[r], rows, rows.y(r), chart.baseline == r);
    return Drawing{width, rows.height(), marks};
  };
  body_ += figure(svg_for_any_screen(draw, label), chart.caption, rows_note(chart.rows.size()));
}

}  // namespace dsk
