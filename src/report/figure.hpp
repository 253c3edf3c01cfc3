#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace dsk::drawing {

/// Converts any bytes to text for HTML and XML. Markup is escaped; invalid UTF-8, unprintable characters and characters
/// that change the writing direction become the replacement character.
std::string escaped(const std::string& text);

/// Approximate width of the text in a sans-serif font; errs on the wide side.
double text_width(const std::string& text, double font_size);
/// The text, or as much of its beginning as fits with an ellipsis. Not escaped.
std::string shortened(const std::string& text, double font_size, double width);

/// Formats a number for display: with a minus sign, powers of ten for very large and small values, and "n/a" for NaN.
std::string number(double value, int decimals);
/// 10 with a superscript exponent.
std::string power_of_ten(int exponent);
/// Formats a number with about three digits.
std::string short_number(double value);

/// Formats a coordinate with at most one decimal.
std::string at(double coordinate);

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

/// Width of drawings on a desktop and on a phone, in CSS pixels. Each figure is drawn for both, so that text keeps its
/// size.
constexpr double wide = 700, narrow = 350;

struct Drawing {
  double width, height;
  std::string marks;
};

/// An SVG element; screen readers read `label`.
std::string svg(const Drawing& drawing, const std::string& label, const std::string& classes);
/// Both drawings; the style sheet shows the one that suits the screen.
std::string svg_for_any_screen(const std::function<Drawing(double width)>& draw, const std::string& label);
/// `content` is HTML; `note` follows the caption.
std::string figure(const std::string& content, const std::string& caption, const std::string& note = {});
std::string empty_figure(const std::string& caption);

/// There are ten colours and ten shapes; after ten classes, colours repeat with other shapes.
constexpr std::size_t colour_count = 10;
std::string colour_class(std::size_t series);
/// The path of the marker of a class. Markers that are open are stroked, not filled.
std::string shape(std::size_t series, double x, double y, double radius);
bool is_open(std::size_t series);
/// A legend of markers and names, as HTML.
std::string shape_legend(const std::vector<std::string>& names);

/// The dash pattern that distinguishes lines of the same colour.
std::string dash_class(std::size_t series);
std::string line_legend(const std::vector<std::string>& names);

/// Top left corner and edge of a square.
struct Box {
  double x, y, size;
};

/// Many colours distinguish values better; one colour, more opaque for larger values, suits light and dark backgrounds.
enum class Colours { many, one };

/// The range of the values, for the colour scale.
Range value_range(const HeatMap& map);
/// The image alone, as an SVG element of this width and height at (x, y).
std::string heat_map_image(const HeatMap& map, const Range& range, Colours colours, const Box& box);
/// The image without a caption.
std::string heat_map_svg(const HeatMap& map, const Range& range, Colours colours);
/// The colour scale.
std::string colour_ramp(const Range& range, Colours colours, bool has_missing);
bool has_missing_values(const HeatMap& map);
bool is_thinned(const HeatMap& map);

/// The lists of a class and of a pair of classes in the page: `class-3` and `c3-5`.
std::string class_id(std::size_t row);
std::string cell_id(std::size_t row, std::size_t column);
/// For each class, by what was predicted for them, its matrices: lists that unfold when a reader follows a link.
std::string class_lists(const ConfusionMatrix& matrix, bool are_many);

}  // namespace dsk::drawing
