#include "report/kernel_figures.hpp"

#include <dsk/kernel.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace dsk::pages {
namespace {

constexpr Index most_shown = 400;

/// The first result whose kernel was really adjusted.
const SplitResult* learned_result(const Evaluation& evaluation) {
  for (const SplitResult& result : evaluation.results)
    if (Method::parse(result.chosen).learning && std::isfinite(result.penalty)) return &result;
  return nullptr;
}

LearnResult learn_again(const Dataset& train, const SplitResult& result, const EvaluationOptions& options) {
  const Learning learning = *Method::parse(result.chosen).learning;
  FitOptions again;
  again.criterion = learning.criterion;
  again.adjustment = learning.adjustment;
  again.theta = result.theta;
  again.allow_indefinite = true;
  again.penalty = result.penalty;
  again.scale = Method::parse(result.method).automatic ? Scale{Scale::Kind::unit, 1} : options.selection.scale;
  again.max_iterations = options.selection.max_iterations;
  again.tolerance = options.selection.tolerance;
  again.pairs.threads = options.threads;
  return fit_kernel(train, again);
}

/// Sorted by class, evenly thinned out to what can be looked at.
Dataset to_show(const Dataset& test) {
  std::vector<Index> order;
  for (Index i = 0; i < test.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return test.labels()[a] < test.labels()[b]; });
  const Index step = (test.size() + most_shown - 1) / most_shown;
  std::vector<Index> kept;
  for (Index i = 0; i < test.size(); i += step) kept.push_back(order[static_cast<std::size_t>(i)]);
  return test.select(kept);
}

HeatMap heat_map(const std::string& caption, const Matrix& kernel, const Labels& labels) {
  HeatMap map{caption, {kernel.data(), kernel.data() + kernel.size()}, static_cast<long>(kernel.rows()), {}};
  for (Index i = 1; i < labels.size(); ++i)
    if (labels[i] != labels[i - 1]) map.marks.push_back(i);
  return map;
}

Scatter scatter(const std::string& caption, const Matrix& kernel, const Labels& labels) {
  const Matrix points = kernel_principal_components(kernel, 2);
  Scatter cloud;
  cloud.caption = caption;
  for (Index i = 0; i < points.rows(); ++i) {
    cloud.x.push_back(points(i, 0));
    cloud.y.push_back(points(i, 1));
    cloud.classes.push_back(labels[i]);
  }
  return cloud;
}

}  // namespace

void add_kernel_figures(Page& page, const Dataset& data, const Evaluation& evaluation,
                        const EvaluationOptions& options) {
  const SplitResult* result = learned_result(evaluation);
  if (result == nullptr) return;
  const Split& split = evaluation.splits[static_cast<std::size_t>(result->split)];
  const auto [kernel, fit] = learn_again(data.select(split.train), *result, options);
  page.add_heading("The learned kernel");
  page.add_text(fmt::format("{} on split {}, theta {:.4g}, penalty {:.3g}; the pictures show the split's test part.",
                            result->chosen, result->split + 1, kernel.theta(), result->penalty));
  const Eigen::VectorXd& alpha = kernel.adjustment().alpha;
  BarChart bars;
  bars.caption =
      fmt::format("alpha of the {} adjustment; at 1 an eigenvalue stays as it is.", name(kernel.adjustment().kind));
  bars.x_axis = "eigenvalue, the largest first";
  bars.y_axis = "alpha";
  bars.values.assign(alpha.begin(), alpha.end());
  bars.reference = 1;
  page.add_bar_chart(bars);
  LineChart line;
  line.caption = "The objective, from the plain Stein kernel on.";
  line.x_axis = "iteration";
  line.y_axis = "objective";
  LineSeries series{"objective", {}, fit.history};
  for (std::size_t k = 0; k < fit.history.size(); ++k) series.x.push_back(static_cast<double>(k));
  line.series.push_back(std::move(series));
  page.add_line_chart(line);

  const Dataset shown = to_show(data.select(split.test));
  if (shown.size() < 3) return;
  const PairOptions pairs{.threads = options.threads};
  const Matrix before = kernel_matrix(LearnedKernel::plain(data.dim(), kernel.theta()), shown.matrices(), pairs);
  const Matrix after = kernel_matrix(kernel, shown.matrices(), pairs);
  page.add_heat_map_pair({"Kernel values of test matrices, sorted by class.",
                          heat_map("plain Stein kernel", before, shown.labels()),
                          heat_map("learned", after, shown.labels())});
  page.add_scatter_pair({"Test matrices in the first two principal components of each kernel.", data.labels().names(),
                         scatter("plain Stein kernel", before, shown.labels()),
                         scatter("learned", after, shown.labels())});
}

}  // namespace dsk::pages
