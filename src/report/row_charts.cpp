// Charts with one row per method over a common axis.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

using namespace drawing;

constexpr std::size_t most_rows = 60;

struct RowText {
  std::string name, value;
};

/// Rows over a common axis, each with its name on the left and its value on the right; in narrow drawings both are
/// above the row.
class Rows {
 public:
  Rows(double width, const std::vector<RowText>& texts, const Range& range, double strip_height);

  double x(double value) const { return scale_(value); }
  double y(std::size_t row) const;
  double height() const { return bottom_ + bottom_axis_height; }
  double half_strip() const { return strip_height_ / 2; }

  std::string axis(const std::string& title) const;
  /// A vertical line through all rows that leaves out names and values above them.
  std::string line(double value, const std::string& style_class) const;
  /// Names and values, to be drawn on top of lines through all rows.
  std::string texts() const;

 private:
  const std::vector<RowText>& texts_;
  double width_;
  bool text_above_;
  double strip_height_, row_height_, top_ = 8, bottom_;
  double names_width_ = 0;
  AxisScale scale_;
};

Rows::Rows(double width, const std::vector<RowText>& texts, const Range& range, double strip_height)
    : texts_(texts),
      width_(width),
      text_above_(width <= narrow),
      strip_height_(strip_height),
      row_height_(strip_height + (text_above_ ? 24 : 6)),
      bottom_(top_ + static_cast<double>(texts.size()) * row_height_ + 4),
      scale_{range, 14, width - 14} {
  if (text_above_) return;
  double values_width = 0;
  for (const RowText& text : texts) {
    names_width_ = std::max(names_width_, text_width(text.name, font_size));
    values_width = std::max(values_width, text_width(text.value, font_size));
  }
  values_width = std::min(values_width, 0.36 * width);
  names_width_ = std::min(names_width_, 0.36 * width);
  scale_.from = names_width_ + 22;
  scale_.to = width - values_width - 18;
}

double Rows::y(std::size_t row) const {
  return top_ + static_cast<double>(row + 1) * row_height_ - strip_height_ / 2 - 3;
}

std::string Rows::axis(const std::string& title) const {
  return bottom_axis(scale_, ticks_that_fit(scale_, false), top_, bottom_, width_, title, true);
}

std::string Rows::line(double value, const std::string& style_class) const {
  std::string path;
  const auto add = [&](double from, double to) { path += fmt::format("M{} {}V{}", at(x(value)), at(from), at(to)); };
  if (text_above_)
    for (std::size_t r = 0; r < texts_.size(); ++r) add(y(r) - half_strip(), y(r) + half_strip());
  else
    add(top_, bottom_);
  return fmt::format("<path class=\"{}\" d=\"{}\"/>", style_class, path);
}

std::string Rows::texts() const {
  std::string marks;
  for (std::size_t r = 0; r < texts_.size(); ++r) {
    const RowText& text = texts_[r];
    const double line = text_above_ ? y(r) - half_strip() - 5 : y(r) + 4;
    const std::string value = shortened(text.value, font_size, (text_above_ ? 0.7 : 0.36) * width_);
    const double room = text_above_ ? width_ - text_width(value, font_size) - 16 : names_width_;
    marks += text_at(0, line, shortened(text.name, font_size, room), "halo");
    marks += text_at(width_, line, value, "end halo");
  }
  return marks;
}

/// The number of decimals for values printed beside an axis over this range: one more than at its ticks, at least one.
int decimals_beside_axis(const Range& range) {
  return std::max(round_ticks(range, 6).decimals + 1, 1);
}

/// A note on how many rows were left out, if any.
std::string rows_note(std::size_t count) {
  return count > most_rows ? fmt::format("The first {} of {} rows are drawn.", most_rows, count) : "";
}

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

/// Evenly spaced quantiles, which preserve the shape of the distribution.
std::vector<double> thinned(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (values.size() <= most_dots) return values;
  std::vector<double> kept(most_dots);
  for (std::size_t k = 0; k < most_dots; ++k) kept[k] = values[k * (values.size() - 1) / (most_dots - 1)];
  return kept;
}

/// Dots at nearly the same position are stacked within the height of the row.
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
    if (has_baseline) marks += rows.line(chart.rows[*chart.baseline].mean, "reference");
    marks += rows.texts();
    for (std::size_t r = 0; r < count; ++r) marks += drawn_row(chart.rows[r], rows, rows.y(r), chart.baseline == r);
    return Drawing{width, rows.height(), marks};
  };
  body_ += figure(svg_for_any_screen(draw, label), chart.caption, rows_note(chart.rows.size()));
}

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
  std::string label = "Mean differences from the baseline:";
  for (std::size_t r = 0; r < count; ++r) {
    const std::string value =
        fmt::format("{}{}", means[r] > 0 ? "+" : "", number(means[r], decimals_beside_axis(range)));
    texts.push_back({chart.rows[r].name, value});
    label += fmt::format(" {} {};", chart.rows[r].name, value);
  }
  const auto draw = [&](double width) {
    const Rows rows(width, texts, range, 36);
    std::string marks = rows.axis(chart.axis);
    marks += rows.line(0, "zero");
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
