#include <dsk/files.hpp>
#include <dsk/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "evaluate/evaluate.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

std::string points(double share) {
  return fmt::format("{:.2f}", 100 * share);
}

std::string spread(const Summary& summary, std::size_t values) {
  return fmt::format("{} ± {}", points(summary.mean), values > 1 ? points(summary.deviation) : "–");
}

/// With a minus sign, as figures have it.
std::string signed_points(double share) {
  return fmt::format("{}{:.2f}", std::signbit(share) ? "−" : "+", std::abs(100 * share));
}

void add_accuracies(Page& page, const Evaluation& evaluation) {
  const std::optional<PairedComparison::Test> test = test_of(evaluation);
  std::vector<std::vector<std::string>> table{{"method", "accuracy, %", "95 % interval", "balanced, %", "seconds"}};
  IntervalChart chart;
  chart.caption =
      !test                                     ? "Accuracy on the split."
      : test == PairedComparison::Test::mcnemar ? "Accuracy over all matrices, with its 95 % confidence interval."
      : test == PairedComparison::Test::student ? "Mean accuracy over the groups, with its 95 % confidence interval."
                                                : "Mean accuracy over the splits, with its 95 % confidence interval.";
  chart.axis = "accuracy, %";
  std::vector<std::vector<std::string>> names{{"method", "description"}};
  for (const MethodResult& result : evaluation.methods) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const Interval interval = result.interval.value_or(Interval{none, none});
    const std::string name = result.method.full_name();
    names.push_back({name, in_words(result.method)});
    chart.rows.push_back({name, 100 * result.accuracy.mean, 100 * interval.low, 100 * interval.high});
    table.push_back({name, spread(result.accuracy, result.accuracies.size()),
                     result.interval ? fmt::format("{} to {}", points(interval.low), points(interval.high)) : "–",
                     points(result.balanced_accuracy.mean), fmt::format("{:.1f}", result.seconds)});
  }
  chart.baseline = evaluation.methods.front().baseline;
  page.add_heading("Accuracy");
  page.add_interval_chart(chart);
  page.add_table(table, evaluation.ranking.best + 1);
  page.add_table(names);
}

void add_differences(Page& page, const Evaluation& evaluation) {
  const std::optional<PairedComparison::Test> test = test_of(evaluation);
  if (!test) return;
  std::vector<std::vector<std::string>> table{
      {"method − baseline", "difference, % points", "95 % interval", "p", "p (Holm)", "p (t)", "p (W)"}};
  DifferenceChart chart;
  chart.caption = fmt::format("Difference from the baseline on each {}.",
                              test == PairedComparison::Test::student ? "group" : "split");
  chart.axis = "percentage points";
  const auto p_value = [](double p) { return fmt::format("{:.2g}", p); };
  for (const MethodResult& result : evaluation.methods) {
    if (!result.against) continue;
    const PairedComparison& against = *result.against;
    const MethodResult& baseline = evaluation.methods[result.baseline];
    DifferenceRow row{fmt::format("{} − {}", result.method.full_name(), baseline.method.full_name()), {}};
    table.push_back({row.name, signed_points(against.difference),
                     fmt::format("{} to {}", signed_points(against.low), signed_points(against.high)),
                     p_value(against.p), p_value(against.holm_p), p_value(against.student_p),
                     p_value(against.wilcoxon_p)});
    for (std::size_t s = 0; s < result.accuracies.size(); ++s)
      row.differences.push_back(100 * (result.accuracies[s] - baseline.accuracies[s]));
    chart.rows.push_back(std::move(row));
  }
  page.add_heading("Differences");
  page.add_text(tests_in_words(evaluation));
  page.add_table(table);
  if (test != PairedComparison::Test::mcnemar) page.add_difference_chart(chart);
}

/// For each class, its matrices that were in a test part and what this method predicted for them; empty if the result
/// does not know the classes of its matrices.
std::vector<std::vector<PredictedMatrix>> matrices_by_class(const Evaluation& evaluation, const MethodResult& method) {
  if (std::ssize(evaluation.classes) != evaluation.samples) return {};
  std::map<Index, PredictedMatrix> found;
  for (const SplitResult& result : evaluation.results) {
    if (result.method != method.method.full_name()) continue;
    const std::vector<Index>& test = evaluation.splits[static_cast<std::size_t>(result.split)].test;
    for (std::size_t i = 0; i < test.size(); ++i) {
      PredictedMatrix& matrix = found[test[i]];
      matrix.number = test[i];
      ++matrix.times[result.predicted[i]];
    }
  }
  std::vector<std::vector<PredictedMatrix>> classes(found.empty() ? 0 : evaluation.class_names.size());
  for (const auto& [number, matrix] : found)
    classes[static_cast<std::size_t>(evaluation.classes[static_cast<std::size_t>(number)])].push_back(matrix);
  return classes;
}

void add_confusion(Page& page, const Evaluation& evaluation, const MethodResult& result) {
  ConfusionMatrix matrix;
  matrix.members = matrices_by_class(evaluation, result);
  matrix.caption = fmt::format("{}: true classes in rows, predicted classes in columns, summed over all splits.{}",
                               result.method.full_name(),
                               matrix.members.empty() ? "" : " Select a class or a cell to list its matrices.");
  matrix.names = evaluation.class_names;
  for (Index r = 0; r < result.confusion.rows(); ++r)
    for (Index c = 0; c < result.confusion.cols(); ++c) matrix.counts.push_back(std::lround(result.confusion(r, c)));
  page.add_heading("Confusion matrix");
  page.add_confusion_matrix(matrix);
}

/// Where the evaluation came from, and what it depends on.
std::vector<Evaluation::Setting> all_settings(const Evaluation& evaluation, const ReportSource& source) {
  std::vector<Evaluation::Setting> list;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) list.push_back({name, value});
  };
  add("command", source.command);
  add("data file", source.data);
  add("shape", fmt::format("{} x {} x {}", evaluation.samples, evaluation.dim, evaluation.dim));
  add("date", source.date);
  for (Evaluation::Setting& setting : settings_of(evaluation)) {
    // The shape has these numbers, and readers of the page need no version of the file format.
    if (setting.name == "n" || setting.name == "d" || setting.name == "format") continue;
    if (setting.name == "data") setting.name = "hash of the data";
    std::replace(setting.name.begin(), setting.name.end(), '_', ' ');
    list.push_back(std::move(setting));
  }
  return list;
}

}  // namespace

std::string evaluation_page(const Evaluation& evaluation, const ReportSource& source) {
  Page page("Evaluation");
  page.add_answer(answer(evaluation));
  page.add_text(fmt::format(
      "{}{} matrices of size {} x {} in {} classes{}; {}. Settings that were not given were chosen by cross-validation "
      "inside each training part, and kernels were learned there too.",
      source.data.empty() ? "" : source.data + ": ", evaluation.samples, evaluation.dim, evaluation.dim,
      evaluation.class_names.size(), evaluation.groups > 0 ? fmt::format(" and {} groups", evaluation.groups) : "",
      protocol_in_words(evaluation)));
  for (const std::string& warning : evaluation.warnings) page.add_text("Note: " + warning + ".");
  add_accuracies(page, evaluation);
  add_differences(page, evaluation);
  add_confusion(page, evaluation, evaluation.methods[evaluation.ranking.best]);
  add_choices(page, evaluation);
  if (evaluation.subspace)
    add_subspace_figures(page, *evaluation.subspace, evaluation.class_names, evaluation.channels);
  if (evaluation.kernel) add_kernel_figures(page, *evaluation.kernel, evaluation.class_names);
  page.add_heading("Reproduce this report");
  page.add_settings(all_settings(evaluation, source));
  return page.html();
}

void report(const Evaluation& evaluation, const std::filesystem::path& file, const ReportSource& source) {
  save_text(evaluation_page(evaluation, source), file);
}

}  // namespace dsk
