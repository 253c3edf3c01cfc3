#include <dsk/files.hpp>
#include <dsk/report.hpp>

#include <fmt/core.h>

#include <cmath>

#include "report/evaluation_page.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

std::string points(double share) {
  return fmt::format("{:.2f}", 100 * share);
}

void add_accuracies(Page& page, const Evaluation& evaluation) {
  std::vector<std::vector<std::string>> table{
      {"method", "accuracy, %", "balanced, %", "difference from baseline, points", "p (t)", "p (W)", "seconds"}};
  IntervalChart chart;
  chart.caption = "Mean accuracy over the splits, with its 95 % confidence interval.";
  chart.axis = "accuracy, %";
  DifferenceChart differences;
  differences.caption = "Difference from the baseline on each split.";
  differences.axis = "points";
  std::size_t best = 0;
  for (const MethodResult& result : evaluation.methods) {
    const std::string name = result.method.full_name();
    std::vector<std::string> row{
        name, fmt::format("{} ± {}", points(result.accuracy.mean), points(result.accuracy.deviation)),
        points(result.balanced_accuracy.mean)};
    if (result.against) {
      const PairedComparison& against = *result.against;
      row.insert(row.end(), {fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", 100 * against.difference, 100 * against.low,
                                         100 * against.high),
                             fmt::format("{:.2g}", against.student_p), fmt::format("{:.2g}", against.wilcoxon_p)});
      const MethodResult& baseline = evaluation.methods[result.baseline];
      DifferenceRow row_of_differences{fmt::format("{} - {}", name, baseline.method.full_name()), {}};
      for (std::size_t s = 0; s < result.accuracies.size(); ++s)
        row_of_differences.differences.push_back(100 * (result.accuracies[s] - baseline.accuracies[s]));
      differences.rows.push_back(std::move(row_of_differences));
    } else {
      row.insert(row.end(), {"", "", ""});
    }
    row.push_back(fmt::format("{:.1f}", result.seconds));
    table.push_back(std::move(row));
    if (best == 0 || result.accuracy.mean > evaluation.methods[best - 1].accuracy.mean) best = table.size() - 1;
    const double reach = mean_interval(result.accuracies);
    chart.rows.push_back(
        {name, 100 * result.accuracy.mean, 100 * (result.accuracy.mean - reach), 100 * (result.accuracy.mean + reach)});
  }
  chart.baseline = evaluation.methods.front().baseline;
  page.add_heading("Accuracy");
  page.add_interval_chart(chart);
  page.add_table(table, best);
  if (!differences.rows.empty() && evaluation.methods.front().accuracies.size() > 1)
    page.add_difference_chart(differences);
}

const MethodResult& best_of(const Evaluation& evaluation) {
  const MethodResult* best = &evaluation.methods.front();
  for (const MethodResult& result : evaluation.methods)
    if (result.accuracy.mean > best->accuracy.mean) best = &result;
  return *best;
}

void add_confusion(Page& page, const std::vector<std::string>& class_names, const MethodResult& result) {
  ConfusionMatrix matrix;
  matrix.caption = fmt::format("{}: true classes in rows, predicted classes in columns, summed over all splits.",
                               result.method.full_name());
  matrix.names = class_names;
  for (Index r = 0; r < result.confusion.rows(); ++r)
    for (Index c = 0; c < result.confusion.cols(); ++c) matrix.counts.push_back(std::lround(result.confusion(r, c)));
  page.add_heading("Confusion matrix");
  page.add_confusion_matrix(matrix);
}

}  // namespace

std::string answer(const Evaluation& evaluation) {
  constexpr double level = 0.05;
  const MethodResult* best = nullptr;
  const MethodResult* any = nullptr;
  for (const MethodResult& result : evaluation.methods) {
    if (!result.against) continue;
    any = &result;
    if (result.against->student_p < level &&
        (best == nullptr || result.against->difference > best->against->difference))
      best = &result;
  }
  if (any == nullptr) return "Nothing to compare: there is only one method, or only one split.";
  if (best == nullptr)
    return fmt::format("No significant difference from {}.", evaluation.methods[any->baseline].method.full_name());
  const double difference = 100 * best->against->difference;
  return fmt::format("{} {} {} by {:.1f} points (p = {:.2g}).", best->method.full_name(),
                     difference > 0 ? "beats" : "loses to", evaluation.methods[best->baseline].method.full_name(),
                     std::abs(difference), best->against->student_p);
}

std::string evaluation_page(const Evaluation& evaluation) {
  Page page("Evaluation");
  page.add_answer(answer(evaluation));
  const std::size_t splits = evaluation.splits.size();
  page.add_text(fmt::format(
      "{} matrices of size {} x {} in {} classes; {} split{} by protocol {}. Settings that were not given were chosen "
      "by "
      "cross-validation inside each training part, and kernels were learned there too. Tests are paired over splits, "
      "against the plain Stein kernel (SK) with the same classifier: p (t) by Student's t-test, p (W) by Wilcoxon's "
      "signed-rank test.",
      evaluation.samples, evaluation.dim, evaluation.dim, evaluation.class_names.size(), splits, splits == 1 ? "" : "s",
      evaluation.protocol.text()));
  for (const std::string& warning : evaluation.warnings) page.add_text("Note: " + warning + ".");
  add_accuracies(page, evaluation);
  add_confusion(page, evaluation.class_names, best_of(evaluation));
  pages::add_choices(page, evaluation);
  if (evaluation.subspace) pages::add_subspace_figures(page, *evaluation.subspace, evaluation.class_names);
  if (evaluation.kernel) pages::add_kernel_figures(page, *evaluation.kernel, evaluation.class_names);
  page.add_heading("Reproduce this report");
  page.add_settings(settings_of(evaluation));
  return page.html();
}

void report(const Evaluation& evaluation, const std::filesystem::path& file) {
  save_text(evaluation_page(evaluation), file);
}

}  // namespace dsk
