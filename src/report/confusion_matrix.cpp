// Which classes are predicted for matrices of each class: the confusion matrix, whose classes and cells lead to lists.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

using namespace drawing;

constexpr std::size_t most_printed = 15;
/// Cells of an image that are links: the pages of a hundred classes stay small.
constexpr std::size_t most_linked = 2000;
/// In pixels: smaller ones cannot be hit.
constexpr double smallest_linked = 5;

long count_at(const ConfusionMatrix& matrix, std::size_t row, std::size_t column) {
  const std::size_t position = row * matrix.names.size() + column;
  return position < matrix.counts.size() ? std::max(matrix.counts[position], 0L) : 0;
}

double row_sum(const ConfusionMatrix& matrix, std::size_t row) {
  double sum = 0;
  for (std::size_t c = 0; c < matrix.names.size(); ++c) sum += static_cast<double>(count_at(matrix, row, c));
  return sum;
}

double share_of_row(const ConfusionMatrix& matrix, std::size_t row, std::size_t column, double sum) {
  return sum > 0 ? static_cast<double>(count_at(matrix, row, column)) / sum : 0;
}

/// Which cells have matrices in a list, row-major.
std::vector<bool> cells_with_lists(const ConfusionMatrix& matrix) {
  const std::size_t classes = matrix.names.size();
  std::vector<bool> found(classes * classes, false);
  for (std::size_t r = 0; r < std::min(classes, matrix.members.size()); ++r)
    for (const PredictedMatrix& member : matrix.members[r])
      for (const auto& [code, times] : member.times)
        if (code >= 0 && static_cast<std::size_t>(code) < classes)
          found[r * classes + static_cast<std::size_t>(code)] = true;
  return found;
}

bool has_list(const ConfusionMatrix& matrix, std::size_t row) {
  return row < matrix.members.size() && !matrix.members[row].empty();
}

/// Leads from a cell to the list of its matrices; not a stop of the tab key, as there are too many.
std::string linked(std::size_t row, std::size_t column, const std::string& marks) {
  return fmt::format("<a href=\"#{}\" tabindex=\"-1\">{}</a>", cell_id(row, column), marks);
}

double widest(const std::vector<std::string>& names) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(name, font_size));
  return width;
}

/// The style class of the font in which all counts fit into cells of this size; empty if there is none.
std::optional<std::string> type_that_fits(const ConfusionMatrix& matrix, double size) {
  const long largest = matrix.counts.empty() ? 0 : *std::max_element(matrix.counts.begin(), matrix.counts.end());
  const std::string digits = std::to_string(largest);
  if (text_width(digits, font_size) <= size - 4) return "";
  return text_width(digits, 9) <= size + 1 ? std::optional(" small") : std::nullopt;
}

struct Cell {
  long count;
  double share, x, y, size;
};

std::string drawn(const Cell& cell, const std::optional<std::string>& type) {
  std::string marks;
  if (cell.count > 0)
    marks += fmt::format(
        "<rect class=\"cell\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill-opacity=\"{:.2f}\"/>",
        cell.x, cell.y, cell.size, cell.size, 0.06 + 0.94 * cell.share);
  if (!type) return marks;
  const std::string colour = cell.count == 0 ? " tick" : cell.share > 0.5 ? " on" : "";
  return marks + text_at(cell.x + cell.size / 2, cell.y + cell.size / 2 + (type->empty() ? 4 : 3),
                         std::to_string(cell.count), "middle" + *type + colour);
}

/// Where a drawing has its cells, and how many classes there are from one name to the next.
struct Layout {
  double left = 0, top = 0, size = 0, side = 0, names_above = 0;
  std::size_t every = 1;
  bool upright = false;
};

/// `most` limits the size of a cell, `share` the part of the width for names.
Layout lay_out(const ConfusionMatrix& matrix, double width, double share, double most) {
  const auto classes = static_cast<double>(matrix.names.size());
  const double longest = widest(matrix.names);
  Layout layout;
  layout.left = std::min(longest, share * width) + 10 + 20;
  layout.size = std::min((width - layout.left - 1) / classes, most);
  layout.side = layout.size * classes;
  layout.every = static_cast<std::size_t>(std::ceil((font_size + 1) / layout.size));
  layout.upright = longest > layout.size - 4;
  layout.names_above = std::min(longest, 110.0);
  layout.top = 24 + (layout.upright ? layout.names_above + 8 : 18);
  return layout;
}

/// Names of rows, which lead to their lists, and of columns; titles, and a frame.
std::string names_and_frame(const ConfusionMatrix& matrix, const Layout& layout) {
  std::string marks = text_at(layout.left + layout.side / 2, 13, "predicted", "name middle");
  marks += fmt::format("<text class=\"name middle\" transform=\"translate(12 {}) rotate(-90)\">true</text>",
                       at(layout.top + layout.side / 2));
  for (std::size_t k = 0; k < matrix.names.size(); k += layout.every) {
    const double place = (static_cast<double>(k) + 0.5) * layout.size;
    const std::string name = text_at(layout.left - 8, layout.top + place + 4,
                                     shortened(matrix.names[k], font_size, layout.left - 30), "end");
    marks += has_list(matrix, k) ? fmt::format("<a href=\"#{}\">{}</a>", class_id(k), name) : name;
    if (layout.upright)
      marks += fmt::format("<text transform=\"translate({} {}) rotate(-90)\">{}</text>", at(layout.left + place + 4),
                           at(layout.top - 8), escaped(shortened(matrix.names[k], font_size, layout.names_above)));
    else
      marks += text_at(layout.left + place, layout.top - 8, matrix.names[k], "middle");
  }
  return marks + fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", at(layout.left),
                             at(layout.top), at(layout.side), at(layout.side));
}

/// Cells one by one, with their counts.
Drawing draw_cells(const ConfusionMatrix& matrix, const std::vector<bool>& with_lists, double width) {
  const std::size_t classes = matrix.names.size();
  const Layout layout = lay_out(matrix, width, width <= narrow && classes > 10 ? 0.2 : 0.28, 52);
  const auto type = type_that_fits(matrix, layout.size);
  std::string marks = "<g class=\"cells\">";
  for (std::size_t r = 0; r < classes; ++r) {
    const double sum = row_sum(matrix, r);
    for (std::size_t c = 0; c < classes; ++c) {
      const std::string cell = drawn({.count = count_at(matrix, r, c),
                                      .share = share_of_row(matrix, r, c, sum),
                                      .x = layout.left + static_cast<double>(c) * layout.size,
                                      .y = layout.top + static_cast<double>(r) * layout.size,
                                      .size = layout.size},
                                     type);
      marks += with_lists[r * classes + c] && count_at(matrix, r, c) > 0 ? linked(r, c, cell) : cell;
    }
  }
  return {width, layout.top + layout.side + 1, marks + "</g>" + names_and_frame(matrix, layout)};
}

/// The cells of an image that are links: those with lists and, if these are too many, with the largest counts.
std::vector<bool> cells_to_link(const ConfusionMatrix& matrix, std::vector<bool> with_lists) {
  std::vector<std::pair<long, std::size_t>> order;
  for (std::size_t k = 0; k < with_lists.size(); ++k)
    if (with_lists[k]) order.emplace_back(k < matrix.counts.size() ? -matrix.counts[k] : 0, k);
  std::sort(order.begin(), order.end());
  for (std::size_t k = most_linked; k < order.size(); ++k) with_lists[order[k].second] = false;
  return with_lists;
}

HeatMap shares(const ConfusionMatrix& matrix) {
  const std::size_t classes = matrix.names.size();
  HeatMap map{.size = static_cast<long>(classes)};
  for (std::size_t r = 0; r < classes; ++r) {
    const double sum = row_sum(matrix, r);
    for (std::size_t c = 0; c < classes; ++c) map.values.push_back(share_of_row(matrix, r, c, sum));
  }
  return map;
}

/// Cells as an image, for more classes than there is room for counts.
Drawing draw_image(const ConfusionMatrix& matrix, const HeatMap& map, const std::vector<bool>& to_link, double width) {
  const std::size_t classes = matrix.names.size();
  const Layout layout = lay_out(matrix, width, 0.2, 26);
  std::string marks =
      fmt::format("<g class=\"one\">{}</g><g class=\"spots\" transform=\"translate({} {}) scale({:.4f})\">",
                  heat_map_image(map, {0, 1}, Colours::one, {layout.left, layout.top, layout.side}), at(layout.left),
                  at(layout.top), layout.size);
  for (std::size_t r = 0; r < classes; ++r)
    for (std::size_t c = 0; c < classes; ++c)
      if (to_link[r * classes + c] && layout.size >= smallest_linked)
        marks += linked(r, c, fmt::format("<path d=\"M{} {}h1v1h-1z\"/>", c, r));
  return {width, layout.top + layout.side + 1, marks + "</g>" + names_and_frame(matrix, layout)};
}

}  // namespace

void Page::add_confusion_matrix(const ConfusionMatrix& matrix) {
  const std::size_t classes = matrix.names.size();
  if (classes == 0) {
    body_ += empty_figure(matrix.caption);
    return;
  }
  double right = 0, all = 0;
  for (std::size_t r = 0; r < classes; ++r) {
    right += static_cast<double>(count_at(matrix, r, r));
    all += row_sum(matrix, r);
  }
  const std::string label = fmt::format("Confusion matrix of {} classes: {} of {} correct", classes, right, all);
  const bool is_image = classes > most_printed;
  const std::vector<bool> with_lists = cells_with_lists(matrix);
  std::string content;
  if (is_image) {
    const HeatMap map = shares(matrix);
    const std::vector<bool> to_link = cells_to_link(matrix, with_lists);
    const auto draw = [&](double width) { return draw_image(matrix, map, to_link, width); };
    content = svg_for_any_screen(draw, label) + colour_ramp({0, 1}, Colours::one, false);
  } else {
    const auto draw = [&](double width) { return draw_cells(matrix, with_lists, width); };
    content = svg_for_any_screen(draw, label);
  }
  const std::string drawing = figure(content, matrix.caption, is_image ? "The colour is the fraction of the row." : "");
  const std::string lists = class_lists(matrix, is_image);
  body_ += lists.empty() ? drawing : fmt::format("<div id=\"confusion-matrix\">\n{}</div>\n{}", drawing, lists);
}

}  // namespace dsk
