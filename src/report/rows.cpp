#include "report/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/figure.hpp"
#include "report/text.hpp"

namespace dsk::report {

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

int decimals_beside_axis(const Range& range) {
  return round_ticks(range, 6).decimals + 1;
}

std::string rows_note(std::size_t count) {
  return count > most_rows ? fmt::format("The first {} of {} rows are drawn.", most_rows, count) : "";
}

}  // namespace dsk::report
