#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dsk::drawing {

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

}  // namespace dsk::drawing
