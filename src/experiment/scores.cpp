#include "experiment/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dsk::experiment {
namespace {

constexpr double level = 0.05;
constexpr Index enough = 5;

/// Compares each method with its baseline; values[m] are paired across methods.
void compare(std::vector<Score>& scores, const Evaluation& like, const std::vector<std::vector<double>>& values,
             const Resampling& splits) {
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const std::size_t baseline = like.methods[m].baseline;
    scores[m].compared = std::ssize(values[m]);
    if (m != baseline && values[m].size() > 1) scores[m].against = compare_paired(values[m], values[baseline], splits);
  }
}

bool is_learned(const Method& method) {
  return method.learning || method.automatic;
}

/// Whether the method learns eigenvalues, and not a subspace.
bool may_adjust(const Method& method) {
  return is_learned(method) && method.is_papers();
}

/// Counts the kernels that a method chose and how many of them have adjusted eigenvalues.
void count_adjusted(Score& score, const std::vector<SplitResult>& results) {
  for (const SplitResult& result : results) {
    if (result.method != score.method.full_name()) continue;
    ++score.chosen;
    if (may_adjust(score.method))
      score.adjusted += Method::parse(result.chosen).learning && std::isfinite(result.penalty) ? 1 : 0;
  }
}

std::vector<double> means_of_tasks(const std::vector<Evaluation>& tasks, std::size_t method) {
  std::vector<double> means;
  means.reserve(tasks.size());
  for (const Evaluation& task : tasks) means.push_back(summarise(task.methods[method].accuracies).mean);
  return means;
}

/// Summaries over the tasks, with comparisons of values(method).
template <class Values>
std::vector<Score> scores_of_tasks(const std::vector<Evaluation>& tasks, const Values& values,
                                   const Resampling& splits) {
  std::vector<Score> result;
  std::vector<std::vector<double>> by_method;
  for (std::size_t m = 0; m < tasks.front().methods.size(); ++m) {
    result.push_back({tasks.front().methods[m].method, summarise(means_of_tasks(tasks, m)), {}, std::ssize(tasks)});
    for (const Evaluation& task : tasks) count_adjusted(result.back(), task.results);
    by_method.push_back(values(m));
  }
  compare(result, tasks.front(), by_method, splits);
  return result;
}

/// The splits of tasks whose accuracies are averaged split by split.
Resampling resampling_of(const std::vector<Evaluation>& tasks) {
  double train = 0, test = 0;
  for (const Split& split : tasks.front().splits) {
    train += static_cast<double>(split.train.size());
    test += static_cast<double>(split.test.size());
  }
  if (train == 0) return {};
  const auto splits = static_cast<double>(tasks.front().splits.size());
  return {test / train, splits / (test * static_cast<double>(tasks.size()))};
}

const paper::Accuracy* find(paper::Table paper, const Method& method) {
  const auto found = std::find_if(paper.begin(), paper.end(),
                                  [&](const paper::Accuracy& one) { return one.method == method.full_name(); });
  return found == paper.end() ? nullptr : &*found;
}

const paper::Accuracy* paper_baseline(paper::Table paper, const Method& method) {
  return find(paper, {.classifier = method.classifier});
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text.empty() ? "none" : text;
}

std::vector<std::string> names_where(const std::vector<Score>& scores, bool (*holds)(const Score&)) {
  std::vector<std::string> names;
  for (const Score& score : scores)
    if (holds(score))
      names.push_back(fmt::format("{} ({:+.1f})", score.method.name(), 100 * score.against->difference));
  return names;
}

/// The learned kernels with this classifier that can be compared; if the paper has a table, only those in it.
std::vector<Score> learned_kernels(const std::vector<Score>& scores, paper::Table paper, Classifier classifier) {
  std::vector<Score> learned;
  for (const Score& score : scores)
    if (score.method.classifier == classifier && is_learned(score.method) && score.against &&
        score.compared >= enough && (paper.empty() || find(paper, score.method) != nullptr))
      learned.push_back(score);
  return learned;
}

/// Whether our results confirm the paper's claim that learning helps.
std::string judgement(const std::vector<Score>& learned, paper::Table paper) {
  double largest_here = 0, largest_in_paper = 0;
  Index better = 0, worse = 0;
  for (const Score& score : learned) {
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
      2 * better < std::ssize(learned) ? "partly " : "", largest_here, largest_in_paper);
}

void add_learned_agreement(std::vector<std::string>& text, const std::vector<Score>& scores, paper::Table paper,
                           Classifier classifier) {
  const std::vector<Score> learned = learned_kernels(scores, paper, classifier);
  if (learned.empty()) return;
  const auto higher = std::count_if(learned.begin(), learned.end(), [&](const Score& score) {
    const paper::Accuracy* const in_paper = find(paper, score.method);
    return in_paper != nullptr && in_paper->mean > paper_baseline(paper, score.method)->mean;
  });
  std::string sentence = classifier == Classifier::knn ? "With k-NN, " : "With the SVM, ";
  sentence += paper.empty()
                  ? fmt::format("of {} learned kernels, ", learned.size())
                  : fmt::format("{} of {} learned kernels are above SK in the paper. Here, ", higher, learned.size());
  sentence += fmt::format("significantly better than SK: {}; significantly worse: {}.",
                          listed(names_where(learned, is_better)), listed(names_where(learned, is_worse)));
  if (!paper.empty()) sentence += judgement(learned, paper);
  text.push_back(std::move(sentence));
}

/// The best plain metric in the paper and here.
void add_plain_agreement(std::vector<std::string>& text, const std::vector<Score>& scores, paper::Table paper,
                         Classifier classifier) {
  const Score* ours = nullptr;
  double highest = 0;
  for (const Score& score : scores) {
    if (score.method.classifier != classifier || is_learned(score.method) || score.method.majority) continue;
    if (ours == nullptr || score.accuracy.mean > ours->accuracy.mean) ours = &score;
    if (const paper::Accuracy* const in_paper = find(paper, score.method)) highest = std::max(highest, in_paper->mean);
  }
  if (ours == nullptr || highest == 0) return;
  std::vector<std::string> first;
  for (const paper::Accuracy& one : paper) {
    const Method method = Method::parse(one.method);
    if (method.classifier == classifier && !is_learned(method) && one.mean == highest) first.push_back(method.name());
  }
  const auto has = [&](std::string_view name) { return std::find(first.begin(), first.end(), name) != first.end(); };
  const bool close = has("SK") && ours->against && !is_better(*ours);
  text.push_back(fmt::format("Best plain metric with {}: {} ({:.1f} %) in the paper, {} ({:.1f} %) here{}",
                             classifier == Classifier::knn ? "k-NN" : "the SVM", listed(first), highest,
                             ours->method.name(), 100 * ours->accuracy.mean,
                             has(ours->method.name()) ? ": the same."
                             : close                  ? ", not significantly better than SK."
                                                      : "; these differ."));
}

/// What p is, in a sentence.
std::string test_sentence(const std::vector<Score>& scores) {
  const auto found =
      std::find_if(scores.begin(), scores.end(), [](const Score& score) { return score.against.has_value(); });
  if (found == scores.end()) return "There are too few splits for tests.";
  return fmt::format(
      "p, by which the verdicts go, is that of the {}; p (t) and p (W) are those of Student's and Wilcoxon's tests as "
      "if all values were independent, as in the paper.",
      name(found->against->test));
}

}  // namespace

std::vector<Score> scores(const Evaluation& evaluation) {
  std::vector<Score> result;
  for (const MethodResult& one : evaluation.methods) {
    const Index count = std::ssize(one.accuracies);
    result.push_back({one.method, one.accuracy, one.against, count, std::max(count, std::ssize(evaluation.splits))});
    count_adjusted(result.back(), evaluation.results);
  }
  return result;
}

std::vector<Score> scores_over_tasks(const std::vector<Evaluation>& tasks) {
  return scores_of_tasks(
      tasks,
      [&](std::size_t m) {
        std::vector<double> means(tasks.front().methods[m].accuracies.size(), 0);
        for (const Evaluation& task : tasks)
          for (std::size_t s = 0; s < means.size(); ++s)
            means[s] += task.methods[m].accuracies[s] / static_cast<double>(tasks.size());
        return means;
      },
      resampling_of(tasks));
}

std::vector<Score> scores_by_task(const std::vector<Evaluation>& tasks) {
  return scores_of_tasks(tasks, [&](std::size_t m) { return means_of_tasks(tasks, m); }, {});
}

std::vector<std::vector<std::string>> beside_paper(const std::vector<Score>& scores, paper::Table paper) {
  const bool printed = !paper.empty();
  std::vector<std::vector<std::string>> table(1);
  table[0] = printed ? std::vector<std::string>{"method", "paper, %", "ours, %", "paper vs. SK", "ours vs. SK"}
                     : std::vector<std::string>{"method", "accuracy, %", "vs. SK"};
  const bool learns =
      std::any_of(scores.begin(), scores.end(), [](const Score& score) { return may_adjust(score.method); });
  table[0].insert(table[0].end(), {"p", "p (t)", "p (W)", "verdict"});
  if (learns) table[0].push_back("adjusted");
  for (const Score& score : scores) {
    std::vector<std::string> row{score.method.full_name()};
    const paper::Accuracy* const in_paper = find(paper, score.method);
    const paper::Accuracy* const printed_baseline = paper_baseline(paper, score.method);
    if (printed)
      row.push_back(in_paper == nullptr        ? ""
                    : in_paper->deviation == 0 ? fmt::format("{:.2f}", in_paper->mean)
                                               : fmt::format("{:.2f} ± {:.2f}", in_paper->mean, in_paper->deviation));
    row.push_back(score.count > 1 ? percent(score.accuracy) : percent(score.accuracy.mean));
    if (printed)
      row.push_back(in_paper == nullptr || in_paper == printed_baseline
                        ? ""
                        : fmt::format("{:+.2f}", in_paper->mean - printed_baseline->mean));
    if (score.against)
      row.insert(row.end(),
                 {fmt::format("{:+.2f}", 100 * score.against->difference), p_value(score.against->p),
                  p_value(score.against->student_p), p_value(score.against->wilcoxon_p), verdict_word(score)});
    else
      row.insert(row.end(), {"", "", "", "", ""});
    if (learns) row.push_back(may_adjust(score.method) ? fmt::format("{} of {}", score.adjusted, score.chosen) : "");
    table.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> agreement(const std::vector<Score>& scores, paper::Table paper) {
  std::vector<std::string> text;
  for (const Classifier classifier : {Classifier::knn, Classifier::svm}) {
    add_learned_agreement(text, scores, paper, classifier);
    add_plain_agreement(text, scores, paper, classifier);
  }
  return text;
}

OutcomeSection method_section(const std::string& heading, const std::vector<Score>& scores, paper::Table paper) {
  OutcomeSection section{.heading = heading};
  section.table = beside_paper(scores, paper);
  section.text = agreement(scores, paper);
  section.text.emplace_back(test_sentence(scores));
  if (std::any_of(scores.begin(), scores.end(), [](const Score& score) { return score.method.automatic; }))
    section.text.emplace_back(
        "\"adjusted\" counts the chosen kernels with adjusted eigenvalues; the others are the plain kernel with its "
        "own "
        "settings. DSK-auto may use any theta, also one for which SK is not guaranteed to be positive definite. Where "
        "it "
        "adjusts nothing, theta is its only difference from SK.");
  return section;
}

std::string verdict(const std::vector<Score>& scores) {
  int learned = 0, better = 0, worse = 0;
  const Score* best = nullptr;
  std::string automatic;
  for (const Score& score : scores) {
    if (!is_learned(score.method) || !score.against || score.compared < enough) continue;
    if (score.method.automatic) {
      automatic +=
          fmt::format("{}{:+.1f} points with {} ({})", automatic.empty() ? " DSK-auto: " : ", ",
                      100 * score.against->difference, score.method.classifier == Classifier::knn ? "k-NN" : "the SVM",
                      is_better(score) || is_worse(score) ? verdict_word(score) : "not significant");
      continue;
    }
    ++learned;
    better += is_better(score) ? 1 : 0;
    worse += is_worse(score) ? 1 : 0;
    if (is_better(score) && (best == nullptr || score.against->difference > best->against->difference)) best = &score;
  }
  if (learned == 0) return "Too few splits to compare.";
  std::string text = fmt::format(
      "Of {} learned kernels, {} significantly better than the plain Stein kernel and {} significantly worse", learned,
      better == 0   ? "none is"
      : better == 1 ? "1 is"
                    : fmt::format("{} are", better),
      worse == 0 ? "none" : std::to_string(worse));
  if (best != nullptr)
    text += fmt::format("; {} gains most, {:.1f} points", best->method.full_name(), 100 * best->against->difference);
  return text + "." + automatic + (automatic.empty() ? "" : ".");
}

bool is_better(const Score& score) {
  return score.against && score.compared >= enough && score.against->difference > 0 && score.against->p < level;
}

bool is_worse(const Score& score) {
  return score.against && score.compared >= enough && score.against->difference < 0 && score.against->p < level;
}

std::string verdict_word(const Score& score) {
  if (!score.against) return "";
  if (score.compared < enough) return "too few splits";
  return is_better(score) ? "better" : is_worse(score) ? "worse" : "-";
}

bool is_above(const Score& score, paper::Table paper) {
  const paper::Accuracy* const in_paper = find(paper, score.method);
  return in_paper == nullptr || 100 * score.accuracy.mean > in_paper->mean;
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
