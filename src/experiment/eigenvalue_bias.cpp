#include <dsk/covariance.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <cmath>

#include "experiment/runs.hpp"
#include "spd/spd.hpp"

namespace dsk::experiment {
namespace {

constexpr Index dim = 40;

/// Sample covariances of N(0, diag(1, ..., 40)).
SpdBatch drawn_covariances(Index draws, Index samples, std::uint64_t seed) {
  const Dataset white =
      wishart_classes({.classes = 1, .per_class = draws, .dim = dim, .degrees = samples - 1, .seed = seed});
  MatrixStack stack{draws, dim, {}};
  const auto values = white.matrices().values();
  stack.values.assign(values.begin(), values.end());
  for (Index k = 0; k < draws; ++k)
    for (Index r = 0; r < dim; ++r)
      for (Index c = 0; c < dim; ++c)
        stack.values[static_cast<std::size_t>((k * dim + r) * dim + c)] *=
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
    chart.series[2].y.push_back(dim);
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

}  // namespace dsk::experiment
