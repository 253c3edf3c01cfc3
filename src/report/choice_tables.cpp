#include "report/evaluation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace dsk::pages {
namespace {

constexpr std::size_t most_splits = 25;

std::string in_percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.1f}", 100 * share);
}

std::string with_error(const CandidateScore& one) {
  return fmt::format("{} ± {}", in_percent(one.accuracy), in_percent(one.standard_error));
}

/// The results of a method, split by split.
std::vector<const SplitResult*> results_of(const Evaluation& evaluation, const std::string& method) {
  std::vector<const SplitResult*> found;
  for (const SplitResult& result : evaluation.results)
    if (result.method == method) found.push_back(&result);
  return found;
}

void add_chosen(Page& page, const std::vector<const SplitResult*>& results) {
  std::vector<std::vector<std::string>> table{{"split", "chosen", "cross-validation, %", "test, %"}};
  for (std::size_t s = 0; s < std::min(results.size(), most_splits); ++s)
    table.push_back({std::to_string(results[s]->split + 1), results[s]->chosen,
                     in_percent(results[s]->validation_accuracy), in_percent(results[s]->accuracy)});
  page.add_table(table);
  if (results.size() > most_splits)
    page.add_text(fmt::format("The first {} of {} splits are listed.", most_splits, results.size()));
}

void add_runners_up(Page& page, const SplitResult& result) {
  if (result.candidates.size() < 2) return;
  page.add_text(
      fmt::format("The best candidates on split {}, each with its best settings. ± is the standard error. A candidate "
                  "that clearly fell behind was scored on fewer folds.",
                  result.split + 1));
  std::vector<std::vector<std::string>> table{{"candidate", "cross-validation, %", "folds"}};
  for (const CandidateScore& one : result.candidates)
    table.push_back({one.name, with_error(one), std::to_string(one.folds)});
  page.add_table(table, 1);
}

/// The kernels of the first split, the heaviest first, with their weights there and in the mean of all splits.
void add_kernel_weights(Page& page, const std::vector<const SplitResult*>& results) {
  std::map<std::string, double> sums;
  for (const SplitResult* const result : results)
    for (const KernelShare& one : result->kernels) sums[one.name] += one.weight;
  if (sums.empty()) return;
  std::vector<std::pair<double, std::string>> order;
  order.reserve(sums.size());
  for (const auto& [name, sum] : sums) order.emplace_back(-sum, name);
  std::sort(order.begin(), order.end());
  page.add_text(
      "Weights of the kernels, each divided by its variance in the training part; the weights of a split sum to 1. "
      "The median is that of the squared distances.");
  std::vector<std::vector<std::string>> table{
      {"kernel", fmt::format("weight on split {}", results.front()->split + 1), "mean weight"}};
  for (const auto& [sum, name] : order) {
    double first = 0;
    for (const KernelShare& one : results.front()->kernels)
      if (one.name == name) first = one.weight;
    table.push_back(
        {name, fmt::format("{:.3f}", first), fmt::format("{:.3f}", -sum / static_cast<double>(results.size()))});
  }
  page.add_table(table);
}

void add_sizes(Page& page, const Evaluation& evaluation) {
  LineChart chart{.caption =
                      "Accuracy in cross-validation inside the training part of the first split against the size of "
                      "the subspace, each with its best settings; the largest size is that of whole matrices. Error "
                      "bars are one standard error to each side.",
                  .x_axis = "components",
                  .y_axis = "accuracy, %"};
  for (const MethodResult& method : evaluation.methods) {
    const std::vector<const SplitResult*> results = results_of(evaluation, method.method.full_name());
    if (results.empty() || results.front()->by_components.size() < 2) continue;
    LineSeries series{method.method.full_name(), {}, {}};
    for (const CandidateScore& one : results.front()->by_components) {
      series.x.push_back(static_cast<double>(one.components));
      series.y.push_back(100 * one.accuracy);
      series.error.push_back(100 * one.standard_error);
    }
    chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return;
  page.add_heading("How large a subspace?");
  page.add_line_chart(chart);
}

}  // namespace

void add_choices(Page& page, const Evaluation& evaluation) {
  for (const MethodResult& method : evaluation.methods) {
    if (!method.method.best && !method.method.combining) continue;
    const std::vector<const SplitResult*> results = results_of(evaluation, method.method.full_name());
    if (results.empty()) continue;
    page.add_heading(fmt::format("What {} chose", method.method.full_name()));
    if (method.method.best)
      page.add_text(
          "Candidates are compared by cross-validation inside each training part; a kind of candidate counts as much "
          "as "
          "its best three settings in the mean. An average over several subspaces is "
          "preferred to a single candidate that is better by less than a standard error.");
    add_chosen(page, results);
    add_runners_up(page, *results.front());
    add_kernel_weights(page, results);
  }
  add_sizes(page, evaluation);
}

}  // namespace dsk::pages
