#pragma once

#include <limits>
#include <string>
#include <vector>

namespace dsk::drawing {

/// Whether a value can be drawn. Beyond these limits, differences of values would overflow.
inline bool is_drawable(double value) {
  return value >= -1e300 && value <= 1e300;
}

/// The smallest interval that contains all included drawable values.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value);
  bool is_empty() const { return low > high; }
  /// Widened on both sides by a fraction of its length; the result is never empty.
  Range padded(double share) const;
};

/// Maps values to coordinates.
struct AxisScale {
  Range range;
  double from, to;
  double operator()(double value) const;
};

struct Tick {
  double value;
  std::string label;
};

struct Ticks {
  std::vector<Tick> marks = {};
  int decimals = 0;  ///< enough to distinguish neighbouring ticks
};

/// About `most` ticks or fewer, at round numbers.
Ticks round_ticks(const Range& range, int most);
/// Ticks for a range of decimal logarithms: at powers of ten, or at 1, 2 and 5 times powers of ten.
Ticks decade_ticks(const Range& range, int most);
/// As many ticks as fit without overlapping labels.
Ticks ticks_that_fit(const AxisScale& scale, bool logarithmic);

constexpr double font_size = 12;

/// Vertical lines at the ticks from `top` to `bottom`, with labels and the title below.
std::string bottom_axis(const AxisScale& scale, const Ticks& ticks, double top, double bottom, double width,
                        const std::string& title, bool with_grid);
/// Horizontal lines at the ticks from `left` to `right`, with labels on the left and the title above.
std::string left_axis(const AxisScale& scale, const Ticks& ticks, double left, double right, const std::string& title);
constexpr double bottom_axis_height = 44;

std::string text_at(double x, double y, const std::string& text, const std::string& classes);

}  // namespace dsk::drawing
