#pragma once

#include <string>
#include <vector>

#include "report/axis.hpp"

namespace dsk::report {

constexpr std::size_t most_rows = 60;

struct RowText {
  std::string name, value;
};

/// Rows over a common axis, each with its name on the left and its value on the right; where the drawing is narrow
/// both stand above the row.
class Rows {
 public:
  Rows(double width, const std::vector<RowText>& texts, const Range& range, double strip_height);

  double x(double value) const { return scale_(value); }
  double y(std::size_t row) const;
  double top() const { return top_; }
  double bottom() const { return bottom_; }
  double height() const { return bottom_ + bottom_axis_height; }
  double half_strip() const { return strip_height_ / 2; }

  std::string axis(const std::string& title) const;
  /// Names and values; to be drawn over lines that run through all rows.
  std::string texts() const;

 private:
  const std::vector<RowText>& texts_;
  double width_;
  bool text_above_;
  double strip_height_, row_height_, top_ = 8, bottom_;
  double names_width_ = 0;
  AxisScale scale_;
};

/// The decimals that values deserve beside an axis over this range.
int decimals_beside_axis(const Range& range);
/// Says how many rows were left out, if any.
std::string rows_note(std::size_t count);

}  // namespace dsk::report
