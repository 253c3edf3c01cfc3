#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dsk::report {

/// The space for drawings on a desk and on a phone, in CSS pixels: each is drawn for both, so that type keeps its size.
constexpr double wide = 700, narrow = 350;

struct Drawing {
  double width, height;
  std::string marks;
};

/// A drawing that says `label` to those who cannot see it.
std::string svg(const Drawing& drawing, const std::string& label, const std::string& classes);
/// Both drawings, of which the style shows one.
std::string svg_for_any_screen(const std::function<Drawing(double width)>& draw, const std::string& label);
/// `content` is HTML, `note` is what a reader must know of the drawing beyond the caption.
std::string figure(const std::string& content, const std::string& caption, const std::string& note = {});
std::string empty_figure(const std::string& caption);

/// Ten colours and ten shapes; after ten classes the colours come again with other shapes.
constexpr std::size_t colour_count = 10;
std::string colour_class(std::size_t series);
/// The path of the shape of a class; `is_open` says that it is to be stroked and not filled.
std::string shape(std::size_t series, double x, double y, double radius);
bool is_open(std::size_t series);
/// Shapes and names, as HTML.
std::string shape_legend(const std::vector<std::string>& names);

/// How dashes tell lines apart that colours do not.
std::string dash_class(std::size_t series);
std::string line_legend(const std::vector<std::string>& names);

}  // namespace dsk::report
