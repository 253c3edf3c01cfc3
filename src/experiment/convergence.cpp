#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/runs.hpp"
#include "experiment/studies.hpp"
#include "learn/learn.hpp"

namespace dsk::experiment {
namespace {

struct Printed {
  Criterion criterion;
  int most;  ///< iterations needed according to the paper
};

}  // namespace

Outcome convergence(const RunOptions& options) {
  const std::vector<ClassPair> pairs = paper_pairs();
  const Dataset data = brodatz(options);
  OutcomeSection section{.heading = ""};
  section.table = {
      {"criterion", "adjustment", "paper, at most", "iterations", "evaluations", "start", "end", "stopped"}};
  int agree = 0, all = 0;
  const Dataset task = of_classes(data, {pairs.front().first, pairs.front().second});
  const Dataset train = task.select(make_splits(task, {.count = 1}, options.seed).front().train);
  for (const Printed& printed : {Printed{Criterion::alignment, 10}, Printed{Criterion::separability, 15},
                                 Printed{Criterion::radius_margin, 10}, Printed{Criterion::trace_margin, 10}}) {
    LineChart chart{.caption = fmt::format("Objective ({}) after each iteration.", name(printed.criterion)),
                    .x_axis = "iteration",
                    .y_axis = "objective"};
    for (const Adjustment adjustment : {Adjustment::power, Adjustment::coefficient}) {
      FitOptions learning{.criterion = printed.criterion, .adjustment = adjustment};
      learning.pairs.threads = options.threads;
      if (!has_soft_margin(printed.criterion))
        learning.penalty = 0.01 * std::abs(best_plain_kernel(train, learning).value);
      const Fit fit = fit_kernel(train, learning).fit;
      LineSeries series{std::string(name(adjustment)), {}, {}};
      for (std::size_t k = 0; k < fit.history.size(); ++k) {
        series.x.push_back(static_cast<double>(k));
        series.y.push_back(fit.history[k]);
      }
      chart.series.push_back(std::move(series));
      ++all;
      agree += fit.iterations <= printed.most ? 1 : 0;
      section.table.push_back({std::string(name(printed.criterion)), std::string(name(adjustment)),
                               std::to_string(printed.most), std::to_string(fit.iterations),
                               std::to_string(fit.evaluations), fmt::format("{:.4g}", fit.history.front()),
                               fmt::format("{:.4g}", fit.history.back()), std::string(name(fit.stop))});
    }
    section.lines.push_back(std::move(chart));
  }
  section.text = {
      fmt::format("{}, one random half, {} matrices. Alignment and separability use a penalty of 0.01 times the value "
                  "of the plain kernel; the margin criteria use none, as in the paper.",
                  pairs.front().name(), train.size())};
  Outcome outcome{.title = "Iterations to converge (supplement)",
                  .answer = fmt::format("{} of {} optimisations stop within the number of iterations given in "
                                        "the paper (10; separability: 15).",
                                        agree, all)};
  outcome.sections = {section};
  outcome.settings = settings(options, "convergence", {});
  return outcome;
}

}  // namespace dsk::experiment
