// What an evaluation says in words: its answer, and warnings.

#include <dsk/evaluate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"

namespace dsk {
namespace {

constexpr double significance_level = 0.05;

std::string in_percent(const MethodResult& result) {
  return fmt::format("{:.1f} %", 100 * result.accuracy.mean);
}

bool is_significant(const PairedComparison& comparison) {
  return comparison.difference > 0 && comparison.holm_p < significance_level;
}

/// "significantly above the runner-up, SK:knn (81.0 %, p = 0.01)"
std::string above(const PairedComparison& comparison, const std::string& whom, const MethodResult& other) {
  return fmt::format("{}significantly above {} ({}, p = {:.2g})", is_significant(comparison) ? "" : "not ", whom,
                     in_percent(other), comparison.holm_p);
}

std::string beside_runner_up(const Evaluation& evaluation) {
  const Evaluation::Ranking& ranking = evaluation.ranking;
  if (!ranking.runner_up) return "";
  const MethodResult& next = evaluation.methods[*ranking.runner_up];
  const std::string name = next.method.full_name();
  if (next.answers_one_class)
    return fmt::format("; the runner-up, {} ({}), always predicts one class", name, in_percent(next));
  if (!ranking.over_runner_up) return fmt::format("; the runner-up is {} ({})", name, in_percent(next));
  return ", " + above(*ranking.over_runner_up, fmt::format("the runner-up, {}", name), next);
}

}  // namespace

std::string protocol_in_words(const Evaluation& evaluation) {
  const std::size_t splits = evaluation.splits.size();
  switch (evaluation.protocol.kind) {
    case Protocol::Kind::halves:
      return splits == 1 ? "1 random half" : fmt::format("{} random halves", splits);
    case Protocol::Kind::kfold:
      return fmt::format("{}-fold cross-validation", splits);
    case Protocol::Kind::given:
      return splits == 1 ? "a given split" : fmt::format("{} given splits", splits);
    case Protocol::Kind::loo:
    case Protocol::Kind::logo:
      break;
  }
  return evaluation.groups > 0 ? fmt::format("leave one subject out ({} groups)", splits)
                               : fmt::format("leave one out ({} matrices)", splits);
}

std::string tests_in_words(const Evaluation& evaluation) {
  const std::optional<PairedComparison::Test> test = test_of(evaluation);
  if (!test) return "One split is not enough for intervals and tests.";
  const std::string adjusted = "p (Holm) is adjusted for the number of comparisons by Holm's method.";
  if (*test == PairedComparison::Test::student)
    return fmt::format(
        "p is from the paired t-test over the {} groups, and intervals are over groups. {} p (t) is the same, and "
        "p (W) is from Wilcoxon's signed-rank test.",
        evaluation.splits.size(), adjusted);
  if (*test == PairedComparison::Test::mcnemar)
    return fmt::format(
        "p is from McNemar's exact test over the {} matrices. {} p (t) and p (W) are from Student's and "
        "Wilcoxon's tests over matrices.",
        evaluation.splits.size(), adjusted);
  return fmt::format(
      "p is from the corrected resampled t-test (Nadeau and Bengio), which allows for overlapping training parts; "
      "intervals are corrected in the same way. {} p (t) and p (W) are from Student's and Wilcoxon's tests, which "
      "treat "
      "the splits as independent, as the paper does; they are too small.",
      adjusted);
}

std::string answer(const Evaluation& evaluation) {
  const Evaluation::Ranking& ranking = evaluation.ranking;
  const MethodResult& best = evaluation.methods[ranking.best];
  const MethodResult& majority = evaluation.methods[ranking.majority];
  const std::string name = best.method.full_name();
  if (best.method.majority)
    return fmt::format("The majority class has {}; there is no other method.", in_percent(best));
  if (best.answers_one_class)
    return fmt::format("No method separates the classes: {} ({}) always predicts one class, like majority ({}).", name,
                       in_percent(best), in_percent(majority));
  if (best.accuracy.mean <= majority.accuracy.mean)
    return fmt::format("No method is above the majority class ({}); {} comes next ({}).", in_percent(majority), name,
                       in_percent(best));
  std::string text = fmt::format("{} {} {}{}.", name, ranking.runner_up ? "is best with" : "has", in_percent(best),
                                 beside_runner_up(evaluation));
  if (!ranking.over_majority)
    return text + fmt::format(" The majority class has {}; one split is not enough for a test.", in_percent(majority));
  return text + " It is " + above(*ranking.over_majority, "the majority class", majority) + ".";
}

}  // namespace dsk

namespace dsk::detail {

std::vector<std::string> group_warnings(const Dataset& data) {
  if (!data.has_groups() || !data.has_labels()) return {};
  std::vector<std::set<int>> groups(data.labels().names().size());
  for (Index i = 0; i < data.size(); ++i) groups[static_cast<std::size_t>(data.labels()[i])].insert(data.groups()[i]);
  std::vector<std::string> in_one_group;
  std::size_t classes = 0;
  for (std::size_t c = 0; c < groups.size(); ++c) {
    if (!groups[c].empty()) ++classes;
    if (groups[c].size() == 1) in_one_group.push_back(data.labels().names()[c]);
  }
  // One class is refused elsewhere, with its own message.
  if (in_one_group.empty() || classes < 2) return {};
  if (in_one_group.size() == classes)
    throw ClassesInOneGroup(
        fmt::format("each class lies in a single group ({}): groups are kept together, so that no class can be both "
                    "learned and tested; ignore the groups",
                    listed_classes(in_one_group)));
  return {
      fmt::format("{} of {} classes {} in a single group ({}): groups are kept together, so that {} matrices are "
                  "never classified correctly; ignore the groups if matrices of a group may be on both sides",
                  in_one_group.size(), classes, in_one_group.size() == 1 ? "lies" : "lie", listed_classes(in_one_group),
                  in_one_group.size() == 1 ? "its" : "their")};
}

}  // namespace dsk::detail
