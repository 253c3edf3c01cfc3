// The table of all methods beside the paper's, and the texts of its cells.

#include <fmt/format.h>

#include <algorithm>

#include "evaluate/evaluate.hpp"
#include "experiment/scores.hpp"

namespace dsk::experiment {
namespace {

bool may_adjust(const Score& score) {
  return (score.method.learning || score.method.automatic) && is_from_paper(score.method);
}

std::string paper_cell(const paper::Accuracy* printed) {
  if (printed == nullptr) return "";
  return printed->deviation == 0 ? fmt::format("{:.2f}", printed->mean)
                                 : fmt::format("{:.2f} ± {:.2f}", printed->mean, printed->deviation);
}

std::vector<std::string> header_of(bool printed, bool learns) {
  std::vector<std::string> header{"method", "origin"};
  if (printed) header.emplace_back("paper, %");
  header.insert(header.end(), {printed ? "ours, %" : "accuracy, %", "balanced, %"});
  if (printed) header.emplace_back("paper vs. SK");
  header.insert(header.end(), {printed ? "ours vs. SK" : "vs. SK", "verdict", "p (Holm)", "p", "p, as in the paper"});
  if (learns) header.emplace_back("adjusted");
  return header;
}

/// What p is, in a sentence.
std::string test_sentence(const std::vector<Score>& scores) {
  const auto found =
      std::find_if(scores.begin(), scores.end(), [](const Score& score) { return score.against.has_value(); });
  if (found == scores.end()) return "There are too few splits for tests.";
  const PairedComparison::Test test = found->against->test;
  return fmt::format(
      "p is from {}{}; the verdicts go by p (Holm), which is adjusted for the number of methods in the table. The last "
      "p "
      "is from Student's t-test as if all values were independent, as in the paper; no verdict goes by it.",
      test == PairedComparison::Test::mcnemar ? "" : "the ", name(test));
}

bool any_of_origin(const std::vector<Score>& scores, Origin origin) {
  return std::any_of(scores.begin(), scores.end(),
                     [&](const Score& score) { return origin_of(score.method) == origin; });
}

/// What methods without k-NN or an SVM of their own are compared with: never the weaker of two rows of SK.
std::string baseline_sentence(const std::vector<Score>& scores) {
  std::vector<std::string> others, plain;
  std::string baseline;
  for (const Score& score : scores) {
    if (score.method.name() == "SK") plain.push_back(score.method.full_name());
    const bool has_classifier = is_from_paper(score.method);
    if (has_classifier || score.baseline == score.method.full_name()) continue;
    others.push_back(score.method.majority ? "the majority class" : score.method.full_name());
    baseline = score.baseline;
  }
  if (others.empty() || plain.empty()) return "";
  return fmt::format("{} {} compared with {}{}.", listed(others), others.size() == 1 ? "is" : "are", baseline,
                     plain.size() == 1 ? "" : fmt::format(", the more accurate of {}", listed(plain)));
}

/// What the words in the column "origin" mean.
std::string origin_sentence(const std::vector<Score>& scores) {
  std::string text;
  if (any_of_origin(scores, Origin::printed))
    text +=
        "\"as printed\" is learned exactly as the paper says: the adjustment is used whether or not it helps, theta is "
        "the criterion's, and the margin criteria have no penalty and an SVM with squared slacks and the C that was "
        "learned. ";
  if (any_of_origin(scores, Origin::guarded))
    text +=
        "\"guarded\" is ours: the same kernel, used only where it beats the plain one in cross-validation; otherwise "
        "the plain kernel is used. ";
  return text + baseline_sentence(scores);
}

}  // namespace

std::vector<std::vector<std::string>> beside_paper(const std::vector<Score>& scores, paper::Table paper) {
  const bool printed = !paper.empty();
  const bool learns = std::any_of(scores.begin(), scores.end(), may_adjust);
  std::vector<std::vector<std::string>> table{header_of(printed, learns)};
  for (const Score& score : scores) {
    std::vector<std::string> row{score.method.full_name(), std::string(name(origin_of(score.method)))};
    const paper::Accuracy* const in_paper = find(paper, score.method);
    const paper::Accuracy* const printed_baseline = paper_baseline(paper, score.method);
    if (printed) row.push_back(paper_cell(in_paper));
    row.push_back(score.count > 1 ? percent(score.accuracy) : percent(score.accuracy.mean));
    row.push_back(percent(score.balanced));
    if (printed)
      row.push_back(in_paper == nullptr || in_paper == printed_baseline
                        ? ""
                        : fmt::format("{:+.2f}", in_paper->mean - printed_baseline->mean));
    if (score.against)
      row.insert(row.end(),
                 {fmt::format("{:+.2f}", 100 * score.against->difference), verdict_word(score),
                  p_value(score.against->holm_p), p_value(score.against->p), p_value(score.against->student_p)});
    else
      row.insert(row.end(), {"", "", "", "", ""});
    if (learns) row.push_back(may_adjust(score) ? fmt::format("{} of {}", score.adjusted, score.chosen) : "");
    table.push_back(std::move(row));
  }
  return table;
}

OutcomeSection method_section(const std::string& heading, const std::vector<Score>& scores, paper::Table paper) {
  OutcomeSection section{.heading = heading};
  section.table = beside_paper(scores, paper);
  section.text = one_class_sentences(scores);
  for (std::string& sentence : agreement(scores, paper)) section.text.push_back(std::move(sentence));
  section.text.push_back(test_sentence(scores));
  if (std::string origins = origin_sentence(scores); !origins.empty()) section.text.push_back(std::move(origins));
  if (std::any_of(scores.begin(), scores.end(), [](const Score& score) { return score.method.automatic; }))
    section.text.emplace_back(
        "\"adjusted\" counts the chosen kernels with adjusted eigenvalues. DSK-auto may use any theta, also one for "
        "which SK is not guaranteed to be positive definite. Where it adjusts nothing, theta is its only difference "
        "from SK.");
  return section;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text.empty() ? "none" : text;
}

std::string percent(double share) {
  return fmt::format("{:.2f}", 100 * share);
}

std::string percent(const Summary& accuracy) {
  return fmt::format("{:.2f} ± {:.2f}", 100 * accuracy.mean, 100 * accuracy.deviation);
}

std::string p_value(double p) {
  return p >= 0.001 ? fmt::format("{:.3f}", p) : p >= 1e-16 ? fmt::format("{:.0e}", p) : "< 1e-16";
}

LineChart accuracy_chart(const std::string& caption, const std::string& axis, const std::vector<Curve>& curves) {
  LineChart chart{.caption = caption, .x_axis = axis, .y_axis = "accuracy, %"};
  for (const Curve& curve : curves) {
    LineSeries series{curve.name, curve.x, {}};
    for (const double y : curve.y) series.y.push_back(100 * y);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace dsk::experiment
