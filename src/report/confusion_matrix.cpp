// Which classes are predicted for matrices of each class: the confusion matrix, and the list behind it.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

using namespace drawing;

constexpr std::size_t most_printed = 15;

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

Drawing draw_matrix(const ConfusionMatrix& matrix, double width) {
  const auto classes = static_cast<double>(matrix.names.size());
  const double longest = widest(matrix.names);
  const double left = std::min(longest, (width <= narrow && classes > 10 ? 0.2 : 0.28) * width) + 10 + 20;
  const double size = std::min((width - left - 1) / classes, 52.0), side = size * classes;
  const bool upright = longest > size - 4;
  const double top = 24 + (upright ? std::min(longest, 110.0) + 8 : 18);
  std::string marks = text_at(left + side / 2, 13, "predicted", "name middle");
  marks += fmt::format("<text class=\"name middle\" transform=\"translate(12 {}) rotate(-90)\">true</text>",
                       at(top + side / 2));
  for (std::size_t k = 0; k < matrix.names.size(); ++k) {
    const double place = (static_cast<double>(k) + 0.5) * size;
    const std::string name =
        text_at(left - 8, top + place + 4, shortened(matrix.names[k], font_size, left - 30), "end");
    marks += matrix.has_lists ? fmt::format("<a href=\"#class-{}\">{}</a>", k, name) : name;
    if (upright)
      marks += fmt::format("<text transform=\"translate({} {}) rotate(-90)\">{}</text>", at(left + place + 4),
                           at(top - 8), escaped(shortened(matrix.names[k], font_size, 110)));
    else
      marks += text_at(left + place, top - 8, matrix.names[k], "middle");
  }
  const auto type = type_that_fits(matrix, size);
  for (std::size_t r = 0; r < matrix.names.size(); ++r) {
    const double sum = row_sum(matrix, r);
    for (std::size_t c = 0; c < matrix.names.size(); ++c)
      marks += drawn({.count = count_at(matrix, r, c),
                      .share = share_of_row(matrix, r, c, sum),
                      .x = left + static_cast<double>(c) * size,
                      .y = top + static_cast<double>(r) * size,
                      .size = size},
                     type);
  }
  marks += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", at(left), at(top),
                       at(side), at(side));
  return {width, top + side + 1, marks};
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
  if (classes <= most_printed) {
    const auto draw = [&](double width) { return draw_matrix(matrix, width); };
    body_ += figure(svg_for_any_screen(draw, label), matrix.caption);
    return;
  }
  HeatMap map = shares(matrix);
  map.caption = label;
  const Range range{0, 1};
  body_ += figure(heat_map_svg(map, range, Colours::one) + colour_ramp(range, Colours::one, false), matrix.caption,
                  "Rows are true classes, columns are predicted classes; the colour is the fraction of the row.");
}

namespace {

using drawing::escaped;

/// Of one class in a list; a page of thousands would be slow to open.
constexpr std::size_t most_listed = 500;

std::string listed(const std::vector<Index>& numbers) {
  std::string text;
  for (std::size_t k = 0; k < std::min(most_listed, numbers.size()); ++k)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[k]);
  if (numbers.size() > most_listed) text += fmt::format(" and {} more", numbers.size() - most_listed);
  return text;
}

std::string rows_of_mistakes(const std::vector<PredictedMatrix>& matrices, const std::vector<std::string>& names) {
  std::string rows;
  std::size_t shown = 0;
  for (const PredictedMatrix& matrix : matrices) {
    if (matrix.mistakes.empty() || shown++ >= most_listed) continue;
    std::string taken_for;
    for (const auto& [code, times] : matrix.mistakes)
      taken_for += fmt::format("{}{}{}", taken_for.empty() ? "" : ", ", escaped(names[static_cast<std::size_t>(code)]),
                               matrix.predictions > 1 ? fmt::format(" ({})", times) : "");
    rows += fmt::format("<tr><td class=\"words\">{}</td><td>{} of {}</td><td class=\"words\">{}</td></tr>\n",
                        matrix.number, matrix.correct, matrix.predictions, taken_for);
  }
  return rows;
}

}  // namespace

void Page::add_class_members(const std::vector<std::string>& names,
                             const std::vector<std::vector<PredictedMatrix>>& classes) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].empty()) continue;
    std::vector<Index> correct;
    for (const PredictedMatrix& matrix : classes[c])
      if (matrix.mistakes.empty()) correct.push_back(matrix.number);
    body_ += fmt::format(
        "<details class=\"members\"><summary>{}: {} {}, {} ever misclassified</summary><div id=\"class-{}\">\n",
        escaped(names[c]), classes[c].size(), classes[c].size() == 1 ? "matrix" : "matrices",
        classes[c].size() - correct.size(), c);
    const std::string rows = rows_of_mistakes(classes[c], names);
    if (!rows.empty())
      body_ += fmt::format(
          "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th class=\"words\">matrix</th><th>correct</th><th "
          "class=\"words\">predicted as</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
          rows);
    if (!correct.empty()) body_ += fmt::format("<p>Always correct: {}</p>\n", listed(correct));
    body_ += "</div></details>\n";
  }
}

}  // namespace dsk
