// What a table of methods says, in sentences. No sentence judges fewer than five splits, equal accuracies are named
// together, and a gain over SK never stands without the best method that learns nothing.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/scores.hpp"

namespace dsk::experiment {
namespace {

constexpr double smallest_difference = 1e-12;

std::string_view in_words(Classifier classifier) {
  return classifier == Classifier::knn ? "k-NN" : "the SVM";
}

std::vector<std::string> names_where(const std::vector<Score>& scores, bool (*holds)(const Score&)) {
  std::vector<std::string> names;
  for (const Score& score : scores)
    if (holds(score))
      names.push_back(fmt::format("{} ({:+.1f})", score.method.name(), 100 * score.against->difference));
  return names;
}

/// The methods of these origins with this classifier that can be judged.
std::vector<Score> judged(const std::vector<Score>& scores, std::initializer_list<Origin> origins,
                          Classifier classifier) {
  std::vector<Score> found;
  for (const Score& score : scores)
    if (std::find(origins.begin(), origins.end(), origin_of(score.method)) != origins.end() && !score.method.best &&
        score.method.classifier == classifier && score.against && has_verdict(score))
      found.push_back(score);
  return found;
}

std::string better_and_worse(const std::vector<Score>& learned) {
  return fmt::format("significantly better than SK: {}; significantly worse: {}.",
                     listed(names_where(learned, is_better)), listed(names_where(learned, is_worse)));
}

/// Whether the kernels that were learned as printed confirm the paper's claim that learning helps.
std::string judgement(const std::vector<Score>& printed, paper::Table paper) {
  double largest_here = 0, largest_in_paper = 0;
  Index better = 0, worse = 0;
  for (const Score& score : printed) {
    better += is_better(score) ? 1 : 0;
    worse += is_worse(score) ? 1 : 0;
    if (is_better(score)) largest_here = std::max(largest_here, 100 * score.against->difference);
    largest_in_paper =
        std::max(largest_in_paper, find(paper, score.method)->mean - paper_baseline(paper, score.method)->mean);
  }
  if (better == 0) return " The paper's gain is not confirmed.";
  if (worse > 0) return " Some learned kernels are better and some are worse: the paper's gain is not confirmed.";
  return fmt::format(
      " The paper's gain is {}confirmed; the largest gain is {:.1f} points here and {:.1f} points in the paper.",
      2 * better < std::ssize(printed) ? "partly " : "", largest_here, largest_in_paper);
}

void add_printed_agreement(std::vector<std::string>& text, const std::vector<Score>& scores, paper::Table paper,
                           Classifier classifier) {
  std::vector<Score> printed = judged(scores, {Origin::printed}, classifier);
  if (!paper.empty()) std::erase_if(printed, [&](const Score& score) { return find(paper, score.method) == nullptr; });
  if (printed.empty()) return;
  if (paper.empty()) {
    text.push_back(fmt::format("With {}, of {} kernels learned as printed, {}", in_words(classifier), printed.size(),
                               better_and_worse(printed)));
    return;
  }
  const auto higher = std::count_if(printed.begin(), printed.end(), [&](const Score& score) {
    return find(paper, score.method)->mean > paper_baseline(paper, score.method)->mean;
  });
  text.push_back(
      fmt::format("With {}, {} of {} learned kernels are above SK in the paper. Here, learned as printed, {}{}",
                  in_words(classifier), higher, printed.size(), better_and_worse(printed), judgement(printed, paper)));
}

void add_our_agreement(std::vector<std::string>& text, const std::vector<Score>& scores, Classifier classifier) {
  const std::vector<Score> learned = judged(scores, {Origin::guarded, Origin::ours}, classifier);
  if (!learned.empty())
    text.push_back(fmt::format("Of our {} kernels with {} (not in the paper), {}", learned.size(), in_words(classifier),
                               better_and_worse(learned)));
}

std::vector<std::string> full_names(const std::vector<Score>& scores) {
  std::vector<std::string> names;
  for (const Score& score : scores) names.push_back(score.method.full_name());
  return names;
}

/// Those with the highest accuracy.
std::vector<Score> highest(const std::vector<Score>& scores) {
  std::vector<Score> best;
  for (const Score& score : scores) {
    const double lead = best.empty() ? 1 : score.accuracy.mean - best.front().accuracy.mean;
    if (lead > smallest_difference) best.clear();
    if (lead > -smallest_difference) best.push_back(score);
  }
  return best;
}

/// p of the difference between the best of several metrics and one of the others. The best was chosen by looking: p is
/// adjusted for comparisons of that one with all others.
std::optional<double> p_of_best(const Score& best, const Score& other, const std::vector<Score>& all) {
  std::vector<double> p_values;
  std::size_t position = 0;
  for (const Score& one : all) {
    if (one.method.name() == other.method.name()) continue;
    const std::optional<PairedComparison> difference = compare(one, other);
    if (!difference) return {};
    if (one.method.name() == best.method.name()) position = p_values.size();
    p_values.push_back(difference->p);
  }
  return holm_adjusted(p_values)[position];
}

/// Whether one of the paper's best plain metrics is among our best of all, or how far they are apart.
std::string order_in_words(const std::vector<Score>& ours, const std::vector<Score>& theirs,
                           const std::vector<Score>& all) {
  for (const Score& one : ours)
    for (const Score& other : theirs)
      if (one.method.name() == other.method.name()) return ": the same.";
  const std::string adjusted = all.size() > 2 ? fmt::format(", adjusted for the choice among {}", all.size()) : "";
  double largest = 0;
  for (const Score& other : theirs) {
    const std::optional<double> p = p_of_best(ours.front(), other, all);
    if (!p) return ".";
    if (*p >= significance_level)
      return fmt::format(", not significantly better than {} (p = {}{}).", other.method.name(), p_value(*p), adjusted);
    largest = std::max(largest, *p);
  }
  return theirs.empty() ? "." : fmt::format("; these differ (p = {}{}).", p_value(largest), adjusted);
}

/// The best plain metric in the paper and here.
void add_plain_agreement(std::vector<std::string>& text, const std::vector<Score>& scores, paper::Table paper,
                         Classifier classifier) {
  std::vector<Score> plain;
  double in_print = 0;
  for (const Score& score : scores)
    if (origin_of(score.method) == Origin::plain && score.method.classifier == classifier) {
      plain.push_back(score);
      if (const paper::Accuracy* const printed = find(paper, score.method))
        in_print = std::max(in_print, printed->mean);
    }
  // SK is not compared with itself.
  const bool enough_splits = std::any_of(plain.begin(), plain.end(), has_verdict);
  if (plain.size() < 2 || in_print == 0 || !enough_splits) return;
  std::vector<Score> theirs;
  std::vector<std::string> their_names, our_names;
  for (const Score& score : plain)
    if (const paper::Accuracy* const printed = find(paper, score.method); printed && printed->mean == in_print) {
      theirs.push_back(score);
      their_names.push_back(score.method.name());
    }
  const std::vector<Score> ours = highest(plain);
  for (const Score& score : ours) our_names.push_back(score.method.name());
  text.push_back(fmt::format("Best plain metric with {}: {} ({:.1f} %) in the paper, {} ({:.1f} %) here{}",
                             in_words(classifier), listed(their_names), in_print, listed(our_names),
                             100 * ours.front().accuracy.mean, order_in_words(ours, theirs, plain)));
}

const Score* find_score(const std::vector<Score>& scores, bool (*wanted)(const Method&)) {
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& one) { return wanted(one.method); });
  return found == scores.end() ? nullptr : &*found;
}

/// "none of 8 kernels is significantly better ... and 2 are significantly worse".
std::string counted_verdict(const std::vector<Score>& scores, Origin origin, std::string_view heading) {
  Index all = 0, better = 0, worse = 0;
  for (const Score& score : scores) {
    if (origin_of(score.method) != origin || !score.against || !has_verdict(score)) continue;
    ++all;
    better += is_better(score) ? 1 : 0;
    worse += is_worse(score) ? 1 : 0;
  }
  if (all == 0) return "";
  const auto are = [](Index count) {
    return count == 0 ? std::string("none is") : count == 1 ? "1 is" : fmt::format("{} are", count);
  };
  return fmt::format(
      "{}, of {} learned kernels {} significantly better than the plain Stein kernel with the same classifier and {} "
      "significantly worse. ",
      heading, all, are(better), are(worse));
}

}  // namespace

std::vector<std::string> agreement(const std::vector<Score>& scores, paper::Table paper) {
  std::vector<std::string> text;
  for (const Classifier classifier : {Classifier::knn, Classifier::svm}) {
    add_printed_agreement(text, scores, paper, classifier);
    add_our_agreement(text, scores, classifier);
    add_plain_agreement(text, scores, paper, classifier);
  }
  return text;
}

std::string balance_sentence(const std::vector<std::vector<Score>>& table) {
  double largest = 0;
  for (const std::vector<Score>& scores : table)
    for (const Score& score : scores) largest = std::max(largest, std::abs(score.balanced - score.accuracy.mean));
  if (largest < smallest_difference) return "All classes are equally large, so that balanced accuracies are the same.";
  return fmt::format("Balanced accuracies differ from these by at most {:.2f} points.", 100 * largest);
}

std::vector<std::string> one_class_sentences(const std::vector<Score>& scores) {
  std::vector<std::string> text;
  const Score* const majority = find_score(scores, [](const Method& method) { return method.majority; });
  for (const Score& score : scores) {
    if (!score.answers_one_class || score.method.name() != "SK") continue;
    const bool same =
        majority != nullptr && std::abs(score.accuracy.mean - majority->accuracy.mean) < smallest_difference;
    std::string sentence =
        fmt::format("{} answers with one class whatever it is shown: its {:.2f} % are {}.", score.method.full_name(),
                    100 * score.accuracy.mean, same ? "those of the majority class" : "the share of that class");
    std::vector<Score> others;
    for (const Score& other : scores)
      if (origin_of(other.method) == Origin::plain && other.method.classifier == score.method.classifier &&
          !other.answers_one_class)
        others.push_back(other);
    sentence += fmt::format(" What is gained over it with {} is gained over {}", in_words(score.method.classifier),
                            same ? "the majority class" : "a constant answer");
    if (const std::vector<Score> best = highest(others); !best.empty())
      sentence += fmt::format("; of the plain metrics, {} {} {:.2f} %", listed(full_names(best)),
                              best.size() == 1 ? "has" : "have", 100 * best.front().accuracy.mean);
    text.push_back(sentence + ".");
  }
  return text;
}

std::string highest_accuracies(const std::vector<Score>& scores) {
  std::string text;
  const auto add = [&](std::string_view heading, std::initializer_list<Origin> origins) {
    std::vector<Score> group;
    for (const Score& score : scores)
      if (has_verdict(score) && std::find(origins.begin(), origins.end(), origin_of(score.method)) != origins.end())
        group.push_back(score);
    const std::vector<Score> best = highest(group);
    if (best.empty()) return;
    text += fmt::format("{}{}, {} ({:.1f} %)", text.empty() ? "" : "; ", heading, listed(full_names(best)),
                        100 * best.front().accuracy.mean);
  };
  add("without learning a kernel", {Origin::plain, Origin::field});
  add("as printed", {Origin::printed});
  add("guarded", {Origin::guarded});
  add("ours", {Origin::ours});
  return text;
}

std::string verdict(const std::vector<Score>& scores) {
  const std::string highest_of_all = highest_accuracies(scores);
  if (highest_of_all.empty()) return "Too few splits to compare.";
  return counted_verdict(scores, Origin::printed, "As printed") +
         counted_verdict(scores, Origin::guarded, "With a guard against harm") +
         "Highest accuracies: " + highest_of_all + ".";
}

std::string informed_choice(bool paper_family, bool all_families) {
  std::string text;
  if (paper_family) text += "The choice of DSK-auto's ingredients was informed by results on SSVEP, ETH-80 and FNC. ";
  if (all_families)
    text += "The choice of what auto tries, and by which rule, was informed by results on SSVEP, FNC and ORL. ";
  return text + fmt::format("{} here {} therefore no independent test of that choice.",
                            paper_family && all_families ? "Their scores" : "Its score",
                            paper_family && all_families ? "are" : "is");
}

}  // namespace dsk::experiment
