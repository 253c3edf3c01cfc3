// Experiments on generated matrices, whose true covariances are known.

#include <dsk/covariance.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <boost/math/distributions/chi_squared.hpp>

#include <cmath>

#include "experiment/experiment.hpp"
#include "experiment/scores.hpp"
#include "spd/spd.hpp"

namespace dsk::experiment {
namespace {

constexpr Index bias_dim = 40;

/// Sample covariances of N(0, diag(1, ..., 40)).
SpdBatch drawn_covariances(Index draws, Index samples, std::uint64_t seed) {
  const Dataset white =
      wishart_classes({.classes = 1, .per_class = draws, .dim = bias_dim, .degrees = samples - 1, .seed = seed});
  MatrixStack stack{draws, bias_dim, {}};
  const auto values = white.matrices().values();
  stack.values.assign(values.begin(), values.end());
  for (Index k = 0; k < draws; ++k)
    for (Index r = 0; r < bias_dim; ++r)
      for (Index c = 0; c < bias_dim; ++c)
        stack.values[static_cast<std::size_t>((k * bias_dim + r) * bias_dim + c)] *=
            std::sqrt(static_cast<double>(r + 1) * static_cast<double>(c + 1));
  return SpdBatch(std::move(stack));
}

struct Extremes {
  double largest = 0, smallest = 0;
};

Extremes mean_extremes(const SpdBatch& covariances, Estimator estimator, Index degrees) {
  const EigenBatch eigen = eigen_decompose(covariances);
  Extremes mean;
  const auto count = static_cast<double>(covariances.size());
  for (Index k = 0; k < covariances.size(); ++k) {
    Eigen::VectorXd values = eigen.values.row(k);
    if (estimator != Estimator::sample) values = corrected_eigenvalues(estimator, values, degrees);
    mean.largest += values.maxCoeff() / count;
    mean.smallest += values.minCoeff() / count;
  }
  return mean;
}

std::string_view printed(Index samples) {
  return samples == 100 ? "67 and 0.4" : samples == 1000 ? "46" : "";
}

}  // namespace

Outcome eigenvalue_bias(const RunOptions& options) {
  const Index draws = options.quick ? 10 : 100;
  OutcomeSection section{.heading = "Largest and smallest of 40 eigenvalues"};
  section.table = {{"samples", "paper", "sample covariance", "Mestre", "Efron & Morris", "Ben-David & Davidson"}};
  LineChart chart{.caption = "Largest eigenvalue, mean over draws. The true value is 40.",
                  .x_axis = "samples",
                  .y_axis = "largest eigenvalue",
                  .series = {{"sample covariance", {}, {}}, {"Mestre", {}, {}}, {"true", {}, {}}},
                  .logarithmic_x = true};
  std::vector<double> largest;
  for (const Index samples : {100, 1000, 10000, 100000}) {
    const SpdBatch covariances = drawn_covariances(draws, samples, options.seed);
    std::vector<std::string> row{std::to_string(samples), std::string(printed(samples))};
    for (const Estimator estimator :
         {Estimator::sample, Estimator::mestre, Estimator::efron_morris, Estimator::ben_david}) {
      const Extremes mean = mean_extremes(covariances, estimator, samples - 1);
      row.push_back(fmt::format("{:.1f} and {:.2f}", mean.largest, mean.smallest));
      const std::size_t line = estimator == Estimator::sample ? 0 : estimator == Estimator::mestre ? 1 : 2;
      if (line == 0) largest.push_back(mean.largest);
      if (line < 2) {
        chart.series[line].x.push_back(static_cast<double>(samples));
        chart.series[line].y.push_back(mean.largest);
      }
    }
    chart.series[2].x.push_back(static_cast<double>(samples));
    chart.series[2].y.push_back(bias_dim);
    section.table.push_back(std::move(row));
  }
  section.lines = {chart};
  section.text = {fmt::format(
      "Means over {} draws from N(0, diag(1, ..., 40)). The true values are 40 and 1. The paper prints a single "
      "draw.",
      draws)};
  constexpr double printed_largest[] = {67, 46}, close = 0.1;
  const bool agree =
      std::abs(largest[0] / printed_largest[0] - 1) < close && std::abs(largest[1] / printed_largest[1] - 1) < close;
  Outcome outcome{
      .title = "Bias of sample eigenvalues (Section III.A)",
      .answer = fmt::format(
          "The largest eigenvalue, 40, is estimated as {:.0f} from 100 samples (paper: 67) and as {:.0f} from "
          "1000 samples (paper: 46). {}",
          largest[0], largest[1], agree ? "This agrees with the paper." : "This differs from the paper.")};
  outcome.sections = {section};
  outcome.settings = settings(options, "eigenvalue-bias", {});
  return outcome;
}

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
  bool is_better_in_paper(double value) const { return value >= first_better && value <= last_better; }
};

/// SK is at the bound if less than this is left to gain.
constexpr double left_to_gain = 0.005;

// SK and learned kernels, and what else a reader would compare.
constexpr std::string_view sweep_methods = "SK:svm,DSK-RM-p-printed:svm,DSK-RM-p:svm,DSK-CA-a:svm,PEK:svm,";
constexpr std::size_t learned_methods = 4;

std::string point_text(double value) {
  return value >= 1 ? fmt::format("{:g}", value) : fmt::format("{:.3g}", value);
}

/// Where the plain kernel leaves nothing to gain, and where it does not; nothing is said on few splits.
std::string bound_sentence(const Sweep& sweep, const std::vector<std::vector<Score>>& points) {
  if (!has_verdict(points.front()[0])) return "";
  std::vector<std::string> at, below;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double left = best_accuracy(sweep.source(sweep.values[k])) - points[k][0].accuracy.mean;
    (left < left_to_gain ? at : below).push_back(point_text(sweep.values[k]));
  }
  std::string text;
  if (!at.empty())
    text += fmt::format(
        "At {} = {}, SK is less than half a point below the best possible accuracy: there is no gain to "
        "be had. ",
        sweep.axis, listed(at));
  if (!below.empty()) text += fmt::format("At {} = {}, SK is below it by more.", sweep.axis, listed(below));
  return text;
}

/// Verdicts of the paper and of the kernel learned as printed.
std::string sweep_answer(const Sweep& sweep, const std::vector<std::vector<Score>>& points) {
  if (!has_verdict(points.front()[1])) return "Too few splits to compare.";
  int agree = 0, better = 0, worse = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    agree += sweep.is_better_in_paper(sweep.values[k]) == is_better(points[k][1]) ? 1 : 0;
    better += is_better(points[k][1]) ? 1 : 0;
    worse += is_worse(points[k][1]) ? 1 : 0;
  }
  return fmt::format(
      "DSK-RM-p, learned as printed, is significantly better than SK at {} of {} points and significantly worse at {}. "
      "{} of the points agree with the paper.",
      better, points.size(), worse, agree);
}

std::vector<std::string> sweep_row(const Sweep& sweep, double value, const std::vector<Score>& all) {
  std::vector<std::string> row{point_text(value), percent(all.back().accuracy.mean), percent(all[0].accuracy)};
  const std::optional<PairedComparison>& against = all[1].against;
  row.insert(row.end(), {percent(all[1].accuracy), against ? fmt::format("{:+.2f}", 100 * against->difference) : "",
                         against ? p_value(against->p) : "", against ? p_value(against->holm_p) : "",
                         sweep.is_better_in_paper(value) ? "better" : "-", verdict_word(all[1]),
                         against ? p_value(against->student_p) : ""});
  for (std::size_t m = 2; m < learned_methods; ++m)
    row.insert(row.end(), {percent(all[m].accuracy), verdict_word(all[m])});
  row.push_back(percent(best_accuracy(sweep.source(value))));
  return row;
}

std::vector<LineChart> sweep_charts(const Sweep& sweep, const std::vector<std::vector<Score>>& points) {
  std::vector<Curve> curves{
      {"SK", {}, {}}, {"DSK-RM-p, as printed", {}, {}}, {"DSK-RM-p, guarded", {}, {}}, {"DSK-CA-a", {}, {}}};
  LineSeries p{"p", {}, {}}, naive{"p, as in the paper", {}, {}}, limit{"0.05", {}, {}};
  Curve best{"best possible", {}, {}};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double value = sweep.values[k];
    for (std::size_t m = 0; m < curves.size(); ++m) {
      curves[m].x.push_back(value);
      curves[m].y.push_back(points[k][m].accuracy.mean);
    }
    best.x.push_back(value);
    best.y.push_back(best_accuracy(sweep.source(value)));
    for (LineSeries* const series : {&p, &naive, &limit}) series->x.push_back(value);
    p.y.push_back(points[k][1].against ? points[k][1].against->p : 1);
    naive.y.push_back(points[k][1].against ? points[k][1].against->student_p : 1);
    limit.y.push_back(0.05);
  }
  curves.push_back(best);
  LineChart accuracy = accuracy_chart("Accuracy of the SVM, mean over halves.", std::string(sweep.axis), curves);
  accuracy.logarithmic_x = true;
  return {accuracy,
          {.caption = "p of DSK-RM-p, learned as printed, against SK: by the corrected resampled t-test, and by the "
                      "t-test as in the paper.",
           .x_axis = std::string(sweep.axis),
           .y_axis = "p",
           .series = {p, naive, limit},
           .logarithmic_x = true,
           .logarithmic_y = true}};
}

/// Methods that learn no kernel, and auto, against SK:svm.
OutcomeSection other_methods_section(const Sweep& sweep, const std::vector<std::vector<Score>>& points) {
  OutcomeSection section{.heading = "Other methods"};
  section.table = {{std::string(sweep.axis), "SK:svm"}};
  for (std::size_t m = learned_methods; m + 1 < points.front().size(); ++m)
    section.table.front().insert(section.table.front().end(), {points.front()[m].method.full_name(), "here"});
  for (std::size_t k = 0; k < points.size(); ++k) {
    std::vector<std::string> row{point_text(sweep.values[k]), percent(points[k][0].accuracy)};
    for (std::size_t m = learned_methods; m + 1 < points[k].size(); ++m)
      row.insert(row.end(), {percent(points[k][m].accuracy), verdict_word(points[k][m])});
    section.table.push_back(std::move(row));
  }
  section.text = {"The paper compares with SK alone."};
  return section;
}

Outcome run(const Sweep& sweep, const RunOptions& options) {
  const EvaluationOptions with = on_halves(std::string(sweep_methods) + other_methods, splits_of(options, 20), options);
  std::vector<Study> studies;
  for (const double value : sweep.values) {
    WishartClasses source = sweep.source(value);
    source.per_class = options.quick ? 200 : 1000;
    source.seed = options.seed;
    studies.push_back({fmt::format("{:g}", value), scatter_classes(source), with});
    save_time(studies.back(), 400);
  }
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  std::vector<std::vector<Score>> points;
  for (const Evaluation& evaluation : evaluations) points.push_back(scores(evaluation));

  OutcomeSection section{.heading = ""};
  section.table = {{std::string(sweep.axis), "majority", "SK", "DSK-RM-p, as printed", "vs. SK", "p", "p (Holm)",
                    "paper", "here", "p, as in the paper", "DSK-RM-p, guarded", "here", "DSK-CA-a", "here",
                    "best possible"}};
  for (std::size_t k = 0; k < points.size(); ++k) section.table.push_back(sweep_row(sweep, sweep.values[k], points[k]));
  section.lines = sweep_charts(sweep, points);
  section.text = {
      fmt::format(
          "Two classes of {} scatter matrices of size 5 x 5 each. The paper's figure has no numbers; its text says "
          "that DSK-RM-p is significantly better from {:.3g} to {:.3g}.",
          studies[0].data.size() / 2, sweep.first_better, sweep.last_better),
      "The best possible classifier thresholds the trace. Its accuracy follows from the chi-square distribution."};
  if (std::string sentence = bound_sentence(sweep, points); !sentence.empty())
    section.text.push_back(std::move(sentence));
  section.text.push_back(saved_time(studies.front()));
  add_balance(section, points);
  Outcome outcome{.title = std::string(sweep.title), .answer = sweep_answer(sweep, points)};
  outcome.sections = {section, other_methods_section(sweep, points)};
  say_quick(outcome, options, "200 matrices of each class instead of 1000, and 4 of 6 points");
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
