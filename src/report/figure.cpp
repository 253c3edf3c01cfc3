#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dsk::drawing {
namespace {

constexpr std::size_t most_in_legend = 30;

std::string legend(const std::vector<std::string>& names, const std::function<std::string(std::size_t)>& sample,
                   double sample_width) {
  std::string items;
  for (std::size_t k = 0; k < std::min(names.size(), most_in_legend); ++k)
    items += fmt::format(
        "<li><svg width=\"{0}\" height=\"14\" viewBox=\"0 0 {0} 14\" aria-hidden=\"true\">{1}</svg>{2}</li>",
        at(sample_width), sample(k), escaped(names[k]));
  if (names.size() > most_in_legend) items += fmt::format("<li>and {} more</li>", names.size() - most_in_legend);
  return "<ul class=\"legend\">" + items + "</ul>\n";
}

struct Corner {
  double x, y;
};

std::string polygon(std::initializer_list<Corner> corners, double x, double y, double radius) {
  std::string path;
  for (const Corner& corner : corners)
    path += fmt::format("{}{} {}", path.empty() ? 'M' : 'L', at(x + corner.x * radius), at(y + corner.y * radius));
  return path;
}

}  // namespace

std::string svg(const Drawing& drawing, const std::string& label, const std::string& classes) {
  return fmt::format(
      "<svg class=\"{0}\" viewBox=\"0 0 {1} {2}\" role=\"img\" aria-label=\"{3}\"><title>{3}</title>{4}</svg>\n",
      classes, at(drawing.width), at(drawing.height), escaped(label), drawing.marks);
}

std::string svg_for_any_screen(const std::function<Drawing(double width)>& draw, const std::string& label) {
  return svg(draw(wide), label, "wide") + svg(draw(narrow), label, "narrow");
}

std::string figure(const std::string& content, const std::string& caption, const std::string& note) {
  return fmt::format("<figure>\n{}<figcaption>{}{}</figcaption></figure>\n", content, escaped(caption),
                     note.empty() ? "" : fmt::format(" <span class=\"note\">{}</span>", escaped(note)));
}

std::string empty_figure(const std::string& caption) {
  return figure("<p class=\"empty\">No data to draw.</p>", caption);
}

std::string colour_class(std::size_t series) {
  return fmt::format("c{}", series % colour_count);
}

std::string shape(std::size_t series, double x, double y, double radius) {
  constexpr double t = 1.15, q = 0.88, d = 1.25;  // so that all shapes look equally large
  switch ((series + series / colour_count) % colour_count) {
    case 0:
    case 6:
      return fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0z", at(x - radius), at(y), at(radius),
                         at(2 * radius));
    case 1:
      return polygon({{0, -t}, {t, q}, {-t, q}}, x, y, radius) + 'z';
    case 2:
    case 7:
      return polygon({{-q, -q}, {q, -q}, {q, q}, {-q, q}}, x, y, radius) + 'z';
    case 3:
    case 9:
      return polygon({{0, -d}, {d, 0}, {0, d}, {-d, 0}}, x, y, radius) + 'z';
    case 4:
      return polygon({{-t, -q}, {t, -q}, {0, t}}, x, y, radius) + 'z';
    case 5:
      return polygon({{0, -t}, {0, t}}, x, y, radius) + polygon({{-t, 0}, {t, 0}}, x, y, radius);
    default:
      return polygon({{-q, -q}, {q, q}}, x, y, radius) + polygon({{-q, q}, {q, -q}}, x, y, radius);
  }
}

bool is_open(std::size_t series) {
  return (series + series / colour_count) % colour_count >= 5;
}

std::string shape_legend(const std::vector<std::string>& names) {
  const auto sample = [](std::size_t k) {
    return fmt::format("<path class=\"{} {}\" d=\"{}\"/>", colour_class(k), is_open(k) ? "open" : "solid",
                       shape(k, 7, 7, 4.5));
  };
  return legend(names, sample, 14);
}

std::string dash_class(std::size_t series) {
  return fmt::format("d{}", (series + series / colour_count) % 4);
}

std::string line_legend(const std::vector<std::string>& names) {
  const auto sample = [](std::size_t k) {
    return fmt::format("<path class=\"line {} {}\" d=\"M1 7H31\"/>", colour_class(k), dash_class(k));
  };
  return legend(names, sample, 32);
}

}  // namespace dsk::drawing
