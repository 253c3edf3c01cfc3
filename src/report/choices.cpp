// What was chosen inside the training parts: the settings of every method, what `auto` became, and what came next.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/report.hpp"

namespace dsk {
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

/// The median of numbers that were used on the splits and, if they differ, the smallest and the largest.
std::string median_and_range(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  const std::string text = fmt::format("{:.3g}", median);
  return values.front() == values.back() ? text
                                         : fmt::format("{} [{:.3g}, {:.3g}]", text, values.front(), values.back());
}

/// What was used most often, and on how many splits.
std::string most_frequent(const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : names) ++counts[name];
  const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [name, count] = *std::max_element(counts.begin(), counts.end(), more);
  return count == names.size() ? name : fmt::format("{} (on {} of {} splits)", name, count, names.size());
}

/// The settings of a method over its splits, in words; empty if it has none.
std::string settings_in_words(const Method& method, const std::vector<const SplitResult*>& results) {
  std::vector<std::string> chosen;
  std::vector<double> neighbours_or_c, theta, penalty;
  for (const SplitResult* const result : results) {
    chosen.push_back(result->chosen);
    neighbours_or_c.push_back(result->neighbours_or_c);
    theta.push_back(result->theta);
    if (std::isfinite(result->penalty)) penalty.push_back(result->penalty);
  }
  const std::string name = most_frequent(chosen);
  const bool is_candidate = !results.front()->candidates.empty();
  if (is_candidate) return name == method.full_name() ? "" : name;
  const bool svm = method.classifier == Classifier::svm, learned = method.learning || method.automatic;
  std::string text = name == method.full_name() ? "" : name + "; ";
  text += fmt::format("{} {}", svm ? "C" : "neighbours", median_and_range(neighbours_or_c));
  if (svm || learned) text += ", theta " + median_and_range(theta);
  if (!learned) return text;
  if (!penalty.empty()) text += ", penalty " + median_and_range(penalty);
  if (penalty.size() < results.size())
    text +=
        fmt::format(", eigenvalues not adjusted on {} of {} splits", results.size() - penalty.size(), results.size());
  return text;
}

void add_settings_used(Page& page, const Evaluation& evaluation) {
  std::vector<std::vector<std::string>> table{{"method", "settings", "cross-validation, %"}};
  for (const MethodResult& method : evaluation.methods) {
    const Method& what = method.method;
    if (what.best || what.combining || what.majority || !what.outside.empty()) continue;
    const std::vector<const SplitResult*> results = results_of(evaluation, what.full_name());
    if (results.empty()) continue;
    const std::string words = settings_in_words(what, results);
    if (words.empty()) continue;
    double sum = 0;
    for (const SplitResult* const result : results) sum += result->validation_accuracy;
    table.push_back({what.full_name(), words, in_percent(sum / static_cast<double>(results.size()))});
  }
  if (table.size() == 1) return;
  page.add_heading("Settings");
  page.add_text(
      "Settings that were not given were chosen by cross-validation inside each training part. Where splits differ, "
      "numbers are medians, with the smallest and the largest in brackets; other settings are the most frequent ones. "
      "Accuracy in cross-validation is the mean over the splits.");
  page.add_table(table);
}

void add_how_auto_chooses(Page& page) {
  page.add_text(
      "Candidates, which are ways to compare and classify matrices, are compared by cross-validation inside each "
      "training part. A candidate counts as much as its best three settings in the mean. Up to eight of the best are "
      "averaged, and the average is taken unless it is clearly worse than the best candidate.");
  page.add_text(
      "A candidate is named by its kernel (SK: Stein, LEK: log-Euclidean, PEK: power-Euclidean; DSK-...-a: Stein with "
      "adjusted eigenvalues, DSK-...-s: Stein in a learned subspace) and its classifier (knn, svm, or mean: nearest "
      "class mean). The ladder of subspaces adds the scores of nearest class means in subspaces of several sizes. "
      "'theta 1 / median' means 1 divided by the median squared distance; '(valid)' that it was moved to the nearest "
      "value for which the kernel is positive definite.");
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

void add_runners_up_of_split(Page& page, const SplitResult& result) {
  if (result.candidates.size() < 2) return;
  page.add_text(
      "The best candidates, each with its best settings. ± is the standard error. A candidate that clearly fell behind "
      "was scored on fewer folds.");
  std::vector<std::vector<std::string>> table{{"candidate", "cross-validation, %", "folds"}};
  for (const CandidateScore& one : result.candidates)
    table.push_back({one.name, with_error(one), std::to_string(one.folds)});
  page.add_table(table, 1);
}

constexpr std::string_view average = "average of ";

/// The candidate without its settings, which differ from split to split.
std::string kind_of(const std::string& candidate) {
  return candidate.starts_with(average) ? "average of several" : candidate.substr(0, candidate.find(','));
}

/// The kinds of what was chosen: that of one candidate, or those that an average is made of, with its own.
std::set<std::string> kinds_chosen(const std::string& chosen) {
  std::set<std::string> kinds{kind_of(chosen)};
  if (!chosen.starts_with(average)) return kinds;
  constexpr std::string_view between = "; ";
  for (std::size_t from = average.size(); from < chosen.size();) {
    const std::size_t to = std::min(chosen.find(between, from), chosen.size());
    kinds.insert(kind_of(chosen.substr(from, to - from)));
    from = to + between.size();
  }
  return kinds;
}

/// How candidates that differ in their settings only did over the splits.
struct Kind {
  std::string name;
  std::size_t listed = 0, chosen = 0;
  double sum = 0;  ///< of the accuracies where it is listed

  double accuracy() const { return listed > 0 ? sum / static_cast<double>(listed) : std::nan(""); }
};

constexpr std::size_t most_kinds = 20;

/// Those that were chosen most often first; among equals, those with the highest mean accuracy.
std::vector<Kind> kinds_over_splits(const std::vector<const SplitResult*>& results) {
  std::map<std::string, Kind> kinds;
  for (const SplitResult* const result : results) {
    // The best first: of a kind that is there with several settings, the first counts.
    std::map<std::string, double> best;
    for (const CandidateScore& one : result->candidates) best.try_emplace(kind_of(one.name), one.accuracy);
    for (const auto& [name, accuracy] : best) {
      ++kinds[name].listed;
      kinds[name].sum += accuracy;
    }
    for (const std::string& name : kinds_chosen(result->chosen)) ++kinds[name].chosen;
  }
  std::vector<Kind> list;
  for (auto& [name, kind] : kinds) {
    kind.name = name;
    list.push_back(std::move(kind));
  }
  const auto rank = [](const Kind& kind) { return std::pair(kind.chosen, kind.listed > 0 ? kind.accuracy() : -1.0); };
  std::stable_sort(list.begin(), list.end(), [&](const Kind& a, const Kind& b) { return rank(a) > rank(b); });
  if (list.size() > most_kinds) list.resize(most_kinds);
  return list;
}

void add_runners_up(Page& page, const std::vector<const SplitResult*>& results) {
  if (results.size() == 1) {
    add_runners_up_of_split(page, *results.front());
    return;
  }
  const std::vector<Kind> kinds = kinds_over_splits(results);
  if (kinds.size() < 2) return;
  page.add_text(
      fmt::format("The candidates over all {} splits, whatever their settings. \"Chosen\" counts the splits on which a "
                  "candidate was chosen, alone or as a part of the average, and \"listed\" those on which it was among "
                  "the ten best. The accuracy in cross-validation is the mean over the latter, with the best settings "
                  "on each.",
                  results.size()));
  std::vector<std::vector<std::string>> table{{"candidate", "cross-validation, %", "chosen", "listed"}};
  for (const Kind& kind : kinds)
    table.push_back({kind.name, in_percent(kind.accuracy()), std::to_string(kind.chosen), std::to_string(kind.listed)});
  page.add_table(table);
}

/// The kernels of all splits, the heaviest in the mean first, with their weights on the first split and in the mean.
void add_kernel_weights(Page& page, const std::vector<const SplitResult*>& results) {
  std::map<std::string, double> sums;
  for (const SplitResult* const result : results)
    for (const CombinedKernel::Share& one : result->kernels) sums[one.name] += one.weight;
  if (sums.empty()) return;
  std::vector<std::pair<double, std::string>> order;
  order.reserve(sums.size());
  for (const auto& [name, sum] : sums) order.emplace_back(-sum, name);
  std::sort(order.begin(), order.end());
  const auto& first_split = results.front()->kernels;
  const auto is_equal = [&](const CombinedKernel::Share& one) { return one.weight == first_split.front().weight; };
  const auto all_equal = [&](const SplitResult* result) {
    return result->kernels.size() == sums.size() &&
           std::all_of(result->kernels.begin(), result->kernels.end(), is_equal);
  };
  if (sums.size() > 1 && std::all_of(results.begin(), results.end(), all_equal)) {
    page.add_text(fmt::format("All {} kernels have the same weight.", sums.size()));
    return;
  }
  page.add_text(
      "Weight of each kernel; every kernel is first divided by its variance in the training part. The weights of a "
      "split sum to 1. 'theta 0.25 / median' means 0.25 divided by the median squared distance.");
  std::vector<std::vector<std::string>> table{
      {"kernel", fmt::format("weight on split {}", results.front()->split + 1), "mean weight"}};
  for (const auto& [sum, name] : order) {
    double first = 0;
    for (const CombinedKernel::Share& one : results.front()->kernels)
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
  page.add_heading("Size of the subspace");
  page.add_line_chart(chart);
}

}  // namespace

void add_choices(Page& page, const Evaluation& evaluation) {
  add_settings_used(page, evaluation);
  for (const MethodResult& method : evaluation.methods) {
    if (!method.method.best && !method.method.combining) continue;
    const std::vector<const SplitResult*> results = results_of(evaluation, method.method.full_name());
    if (results.empty()) continue;
    page.add_heading(fmt::format("Settings chosen by {}", method.method.full_name()));
    if (method.method.best) add_how_auto_chooses(page);
    add_chosen(page, results);
    add_runners_up(page, results);
    add_kernel_weights(page, results);
  }
  add_sizes(page, evaluation);
}

}  // namespace dsk
