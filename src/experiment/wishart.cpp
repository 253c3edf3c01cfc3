#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <boost/math/distributions/chi_squared.hpp>

#include <cmath>

#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"

namespace dsk::experiment {
namespace {

/// The scatter matrices of the paper, which are not divided by their degrees of freedom.
Dataset scatter_classes(const WishartClasses& source) {
  const Dataset drawn = wishart_classes(source);
  const auto values = drawn.matrices().values();
  MatrixStack stack{drawn.size(), drawn.dim(), {values.begin(), values.end()}};
  for (double& value : stack.values) value *= static_cast<double>(source.degrees);
  return Dataset(SpdBatch(std::move(stack)), drawn.labels());
}

/// The accuracy of the best possible classifier. It thresholds the trace, which is chi-square distributed in the first
/// class and 1 + tau times chi-square in the second, where the two densities are equal.
double best_accuracy(const WishartClasses& source) {
  const auto degrees = static_cast<double>(source.dim * source.degrees);
  const boost::math::chi_squared trace(degrees);
  const double ratio = 1 + source.tau, threshold = degrees * ratio * std::log1p(source.tau) / source.tau;
  return (cdf(trace, threshold) + cdf(complement(trace, threshold / ratio))) / 2;
}

struct Sweep {
  std::string_view name, title, axis;
  std::vector<double> values = {};           ///< the values of the parameter that is varied
  double first_better = 0, last_better = 0;  ///< the range in which DSK is significantly better in the paper
  std::function<WishartClasses(double)> source;
};

Outcome run(const Sweep& sweep, const RunOptions& options) {
  const Index splits = splits_of(options, 20, 3);
  EvaluationOptions with = on_halves("SK:svm,DSK-RM-p:svm,DSK-CA-a:svm", splits, options);
  save_time(with.selection, 200);
  std::vector<Study> studies;
  for (const double value : sweep.values) {
    WishartClasses source = sweep.source(value);
    source.per_class = options.quick ? 200 : 1000;
    source.seed = options.seed;
    studies.push_back({fmt::format("{:g}", value), scatter_classes(source), with});
  }
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);

  OutcomeSection section{.heading = ""};
  section.table = {{std::string(sweep.axis), "SK", "DSK-RM-p", "vs. SK", "p", "paper", "here", "DSK-CA-a", "vs. SK",
                    "p", "best possible"}};
  Curve plain{"SK", {}, {}}, learned{"DSK-RM-p", {}, {}}, centred{"DSK-CA-a", {}, {}}, p{"p", {}, {}};
  int agree = 0, better = 0, worse = 0;
  for (std::size_t k = 0; k < sweep.values.size(); ++k) {
    const std::vector<Score> all = scores(evaluations[k]);
    const double value = sweep.values[k];
    const bool printed = value >= sweep.first_better && value <= sweep.last_better;
    agree += printed == is_better(all[1]) ? 1 : 0;
    better += is_better(all[1]) ? 1 : 0;
    worse += is_worse(all[1]) ? 1 : 0;
    std::vector<std::string> row{value >= 1 ? fmt::format("{:g}", value) : fmt::format("{:.3g}", value),
                                 percent(all[0].accuracy)};
    for (const std::size_t m : {std::size_t{1}, std::size_t{2}}) {
      row.push_back(percent(all[m].accuracy));
      row.push_back(all[m].against ? fmt::format("{:+.2f}", 100 * all[m].against->difference) : "");
      row.push_back(all[m].against ? p_value(all[m].against->p) : "");
      if (m == 1) row.insert(row.end(), {printed ? "better" : "-", verdict_word(all[1])});
    }
    row.push_back(percent(best_accuracy(sweep.source(value))));
    section.table.push_back(std::move(row));
    for (Curve* const curve : {&plain, &learned, &centred, &p}) curve->x.push_back(value);
    plain.y.push_back(all[0].accuracy.mean);
    learned.y.push_back(all[1].accuracy.mean);
    centred.y.push_back(all[2].accuracy.mean);
    p.y.push_back(all[1].against ? all[1].against->p : 1);
  }
  LineChart accuracy =
      accuracy_chart("Accuracy of the SVM, mean over halves.", std::string(sweep.axis), {plain, learned, centred});
  accuracy.logarithmic_x = true;
  section.lines = {accuracy,
                   {.caption = "p of the corrected resampled t-test of DSK-RM-p against SK.",
                    .x_axis = std::string(sweep.axis),
                    .y_axis = "p",
                    .series = {{"p", p.x, p.y}, {"0.05", p.x, std::vector<double>(p.x.size(), 0.05)}},
                    .logarithmic_x = true,
                    .logarithmic_y = true}};
  section.text = {
      fmt::format(
          "Two classes of {} scatter matrices of size 5 x 5 each. The paper's figure has no numbers; its text says "
          "that DSK-RM-p is significantly better from {:.3g} to {:.3g}.",
          studies[0].data.size() / 2, sweep.first_better, sweep.last_better),
      "The best possible classifier thresholds the trace. Its accuracy follows from the chi-square distribution.",
      "Here, " + saved_time(with.selection)};
  Outcome outcome{.title = std::string(sweep.title),
                  .answer = fmt::format("DSK-RM-p is significantly better than SK at {} of {} points and "
                                        "significantly worse at {}. {} of the points agree with the paper.",
                                        better, sweep.values.size(), worse, agree)};
  outcome.sections = {section};
  outcome.settings = settings(options, sweep.name, evaluations);
  return outcome;
}

}  // namespace

Outcome wishart_tau(const RunOptions& options) {
  Sweep sweep{.name = "wishart-tau",
              .title = "Wishart classes with 200 degrees of freedom (Fig. 4 a, b)",
              .axis = "tau",
              .first_better = std::pow(10, -1.801),
              .last_better = std::pow(10, -0.829),
              .source = [](double tau) { return WishartClasses{.degrees = 200, .tau = tau}; }};
  for (const double exponent :
       options.quick ? std::vector<double>{-2, -1.4, -1, -0.6} : std::vector<double>{-2, -1.8, -1.4, -1, -0.83, -0.6})
    sweep.values.push_back(std::pow(10, exponent));
  return run(sweep, options);
}

Outcome wishart_dof(const RunOptions& options) {
  Sweep sweep{
      .name = "wishart-dof",
      .title = "Wishart classes with tau = 0.1 (Fig. 4 c, d)",
      .axis = "degrees of freedom",
      .first_better = 8,
      .last_better = 750,
      .source = [](double degrees) { return WishartClasses{.degrees = static_cast<Index>(degrees), .tau = 0.1}; }};
  sweep.values = options.quick ? std::vector<double>{6, 50, 200, 1000} : std::vector<double>{6, 8, 50, 200, 750, 1500};
  return run(sweep, options);
}

}  // namespace dsk::experiment
