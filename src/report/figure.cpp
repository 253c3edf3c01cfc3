#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

void Range::include(double value) {
  if (!is_drawable(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Range Range::padded(double share) const {
  if (is_empty()) return {0, 1};
  const double size = std::max(std::abs(low), std::abs(high)), span = high - low;
  if (span <= 1e-9 * size || span < 1e-290) {
    const double half = size < 1e-290 ? 1 : size / 20;
    return {low - half, high + half};
  }
  return {low - share * span, high + share * span};
}

double AxisScale::operator()(double value) const {
  return from + (to - from) * ((value - range.low) / (range.high - range.low));
}

Ticks round_ticks(const Range& range, int most) {
  const double rough = (range.high - range.low) / std::max(most, 1);
  int exponent = static_cast<int>(std::floor(std::log10(rough)));
  const double power = std::pow(10, exponent);
  int factor = 10;
  for (const int candidate : {5, 2, 1})
    if (candidate * power >= rough * (1 - 1e-9)) factor = candidate;
  if (factor == 10) ++exponent;
  const double step = factor * power;
  Ticks ticks{.decimals = -exponent};
  const double first = std::ceil(range.low / step - 1e-9);
  for (int k = 0; k <= most + 1; ++k) {
    const double value = (first + k) * step;
    if (!(value <= range.high + 1e-9 * step)) break;
    ticks.marks.push_back({value, number(value, ticks.decimals)});
  }
  return ticks;
}

Ticks decade_ticks(const Range& range, int most) {
  const int first = static_cast<int>(std::ceil(range.low - 1e-9)), last = static_cast<int>(std::floor(range.high));
  const int count = last - first + 1;
  Ticks ticks;
  if (count >= 3) {
    const int stride = (count + most - 1) / std::max(most, 1);
    for (int k = first; k <= last; k += stride)
      ticks.marks.push_back(
          {static_cast<double>(k), std::abs(k) <= 3 ? short_number(std::pow(10, k)) : power_of_ten(k)});
    return ticks;
  }
  for (int k = first - 1; k <= last; ++k)
    for (const int factor : {1, 2, 5}) {
      const double value = k + std::log10(factor);
      if (value >= range.low - 1e-9 && value <= range.high + 1e-9)
        ticks.marks.push_back({value, short_number(factor * std::pow(10, k))});
    }
  if (ticks.marks.size() >= 2 && static_cast<int>(ticks.marks.size()) <= most) return ticks;
  ticks = round_ticks({std::pow(10, range.low), std::pow(10, range.high)}, most);
  std::erase_if(ticks.marks, [](const Tick& tick) { return !(tick.value > 0); });
  for (Tick& tick : ticks.marks) tick.value = std::log10(tick.value);
  return ticks;
}

Ticks ticks_that_fit(const AxisScale& scale, bool logarithmic) {
  Ticks ticks;
  for (int most = std::clamp(static_cast<int>((scale.to - scale.from) / 60), 2, 10); most >= 1; --most) {
    ticks = logarithmic ? decade_ticks(scale.range, most) : round_ticks(scale.range, most);
    bool fits = true;
    for (std::size_t k = 1; k < ticks.marks.size(); ++k) {
      const Tick &a = ticks.marks[k - 1], &b = ticks.marks[k];
      const double needed = (text_width(a.label, font_size) + text_width(b.label, font_size)) / 2 + 8;
      fits = fits && scale(b.value) - scale(a.value) >= needed;
    }
    if (fits) return ticks;
  }
  if (ticks.marks.size() > 1) ticks.marks.resize(1);
  return ticks;
}

std::string text_at(double x, double y, const std::string& text, const std::string& classes) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", classes, at(x), at(y), escaped(text));
}

std::string bottom_axis(const AxisScale& scale, const Ticks& ticks, double top, double bottom, double width,
                        const std::string& title, bool with_grid) {
  std::string lines, labels;
  for (const Tick& tick : ticks.marks) {
    const double x = scale(tick.value), half = text_width(tick.label, font_size) / 2;
    lines += fmt::format("M{} {}V{}", at(x), at(with_grid ? top : bottom), at(bottom + 4));
    if (x - half >= -1 && x + half <= width + 1) labels += text_at(x, bottom + 18, tick.label, "tick middle");
  }
  const double centre = (scale.from + scale.to) / 2;
  const double room = 2 * std::min(centre, width - centre);
  return fmt::format("<path class=\"grid\" d=\"{}M0 0\"/><path class=\"axis\" d=\"M{} {}H{}\"/>", lines, at(scale.from),
                     at(bottom), at(scale.to)) +
         labels + text_at(centre, bottom + 38, shortened(title, font_size, room), "name middle");
}

std::string left_axis(const AxisScale& scale, const Ticks& ticks, double left, double right, const std::string& title) {
  std::string lines, labels;
  for (const Tick& tick : ticks.marks) {
    const double y = scale(tick.value);
    lines += fmt::format("M{} {}H{}", at(left), at(y), at(right));
    labels += text_at(left - 8, y + 4, tick.label, "tick end");
  }
  return fmt::format("<path class=\"grid\" d=\"{}M0 0\"/>", lines) + labels +
         text_at(0, 12, shortened(title, font_size, right), "name");
}

}  // namespace dsk::drawing
