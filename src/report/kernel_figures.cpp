#include "report/kernel_figures.hpp"

#include <fmt/core.h>

namespace dsk::pages {
namespace {

HeatMap heat_map(const std::string& caption, const Matrix& values, const std::vector<int>& classes) {
  HeatMap map{caption, {values.data(), values.data() + values.size()}, static_cast<long>(values.rows()), {}};
  for (std::size_t i = 1; i < classes.size(); ++i)
    if (classes[i] != classes[i - 1]) map.marks.push_back(static_cast<long>(i));
  return map;
}

void add_alpha(Page& page, const EigenvalueAdjustment& adjustment) {
  BarChart bars;
  bars.caption =
      fmt::format("alpha of the {} adjustment; an eigenvalue with alpha 1 is not changed.", name(adjustment.kind));
  bars.x_axis = "eigenvalue, largest first";
  bars.y_axis = "alpha";
  bars.values.assign(adjustment.alpha.begin(), adjustment.alpha.end());
  bars.reference = 1;
  page.add_bar_chart(bars);
}

void add_objective(Page& page, const std::vector<double>& history) {
  LineChart line;
  line.caption = "The objective, starting from the plain Stein kernel.";
  line.x_axis = "iteration";
  line.y_axis = "objective";
  LineSeries series{"objective", {}, history};
  for (std::size_t k = 0; k < history.size(); ++k) series.x.push_back(static_cast<double>(k));
  line.series.push_back(std::move(series));
  page.add_line_chart(line);
}

}  // namespace

Scatter scatter(const std::string& caption, const Matrix& points, const std::vector<int>& classes) {
  Scatter cloud;
  cloud.caption = caption;
  for (Index i = 0; i < points.rows(); ++i) {
    cloud.x.push_back(points(i, 0));
    cloud.y.push_back(points(i, 1));
  }
  cloud.classes.assign(classes.begin(), classes.end());
  return cloud;
}

void add_kernel_figures(Page& page, const EvaluatedKernel& kernel, const std::vector<std::string>& class_names) {
  page.add_heading("The learned kernel");
  page.add_text(
      fmt::format("{} on split {}: theta {:.4g}, penalty {:.3g}. The pictures show test matrices of that split.",
                  kernel.method, kernel.split + 1, kernel.kernel.theta(), kernel.penalty));
  add_alpha(page, kernel.kernel.adjustment());
  add_objective(page, kernel.fit.history);
  if (kernel.shown.empty()) return;
  page.add_heat_map_pair({"Kernel values of test matrices, sorted by class.",
                          heat_map("plain Stein kernel", kernel.plain_values, kernel.shown),
                          heat_map("learned", kernel.learned_values, kernel.shown)});
  page.add_scatter_pair({"Test matrices in the first two principal components of each kernel.", class_names,
                         scatter("plain Stein kernel", kernel.plain_components, kernel.shown),
                         scatter("learned", kernel.learned_components, kernel.shown)});
}

}  // namespace dsk::pages
