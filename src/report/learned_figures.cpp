#include <fmt/format.h>

#include <algorithm>

#include "report/report.hpp"

namespace dsk {
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
      fmt::format("Alpha of the {} adjustment; an eigenvalue with alpha 1 is not changed.", name(adjustment.kind));
  bars.x_axis = "eigenvalue, largest first";
  bars.y_axis = "alpha";
  bars.values.assign(adjustment.alpha.begin(), adjustment.alpha.end());
  bars.reference = 1;
  page.add_bar_chart(bars);
}

std::string title_of(Metric metric) {
  return metric == Metric::stein ? "Stein" : std::string(name(metric));
}

void add_objective(Page& page, const std::vector<double>& history, Metric metric) {
  LineChart line;
  line.caption = fmt::format("The objective, starting from the plain {} kernel.", title_of(metric));
  line.x_axis = "iteration";
  line.y_axis = "objective";
  LineSeries series{"objective", {}, history};
  for (std::size_t k = 0; k < history.size(); ++k) series.x.push_back(static_cast<double>(k));
  line.series.push_back(std::move(series));
  page.add_line_chart(line);
}

/// Larger subspaces are chosen rarely, and more patterns than this are hard to read.
constexpr Index most_panels = 12;

/// Scaled to the largest entry: only the shape counts.
std::vector<double> scaled_column(const Matrix& columns, Index c) {
  const Eigen::VectorXd column = columns.col(c) / columns.col(c).cwiseAbs().maxCoeff();
  return {column.begin(), column.end()};
}

void add_components(Page& page, const Evaluation::Subspace& subspace, const std::vector<std::string>& channels) {
  const Matrix &w = subspace.projection.w, &patterns = subspace.patterns;
  const Index shown = std::min(w.cols(), most_panels);
  BarPanels panels{
      .caption = fmt::format(
          "Each component: on the left its weights, a column of W, by which it is computed from the "
          "features; on the right its pattern, how strongly each feature takes part in it. Each is "
          "scaled to its largest entry; turning all bars of a component upside down changes "
          "nothing.{}",
          shown < w.cols() ? fmt::format(" The first {} of {} components are drawn.", shown, w.cols()) : ""),
      .x_axis = channels.empty() ? "feature" : "channel",
      .y_axis = "weight",
      .names = channels};
  for (Index c = 0; c < shown; ++c) {
    panels.titles.push_back(fmt::format("component {}: weights", c + 1));
    panels.values.push_back(scaled_column(w, c));
    panels.titles.push_back(fmt::format("component {}: pattern", c + 1));
    panels.values.push_back(scaled_column(patterns, c));
  }
  page.add_bar_panels(panels);
}

/// Points (rows, two columns) coloured by class.
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

}  // namespace

void add_kernel_figures(Page& page, const Evaluation::Kernel& kernel, const std::vector<std::string>& class_names) {
  page.add_heading("The learned kernel");
  page.add_text(
      fmt::format("{} on split {}: theta {:.4g}, penalty {:.3g}. The pictures show test matrices of that split.",
                  kernel.method, kernel.split + 1, kernel.kernel.theta(), kernel.penalty));
  add_alpha(page, kernel.kernel.adjustment());
  add_objective(page, kernel.fit.history, kernel.kernel.metric());
  if (kernel.shown.empty()) return;
  page.add_heat_map_pair(
      {"Kernel values of test matrices, sorted by class.",
       heat_map("plain " + title_of(kernel.kernel.metric()) + " kernel", kernel.plain_values, kernel.shown),
       heat_map("learned", kernel.learned_values, kernel.shown)});
  page.add_scatter_pair(
      {"Test matrices in the first two principal components of each kernel.", class_names,
       scatter("plain " + title_of(kernel.kernel.metric()) + " kernel", kernel.plain_components, kernel.shown),
       scatter("learned", kernel.learned_components, kernel.shown)});
}

void add_subspace_figures(Page& page, const Evaluation::Subspace& subspace, const std::vector<std::string>& class_names,
                          const std::vector<std::string>& channels) {
  const Index whole = subspace.projection.dim(), components = subspace.projection.result_dim();
  page.add_heading("The learned subspace");
  std::string text = fmt::format("{} on split {} compares matrices ", subspace.method, subspace.split + 1);
  text += subspace.sizes.size() == 1
              ? fmt::format("in a subspace of {} of {} dimensions.", components, whole)
              : fmt::format(
                    "as a whole and in subspaces of {} of {} dimensions, and adds the scores. The figures show "
                    "the subspace of {}.",
                    fmt::join(subspace.sizes, ", "), whole, components);
  page.add_text(text +
                " Each component is a weighted sum of the features, learned from the training part so that matrices "
                "of the same class become more alike.");
  add_components(page, subspace, channels);
  if (subspace.shown.empty()) return;
  page.add_scatter_pair(
      {"Test matrices of that split in the first two principal components of the kernel, before and after the "
       "projection.",
       class_names, scatter(fmt::format("before: all {} dimensions", whole), subspace.whole_components, subspace.shown),
       scatter(fmt::format("after: {} component{}", components, components == 1 ? "" : "s"),
               subspace.projected_components, subspace.shown)});
}

}  // namespace dsk
