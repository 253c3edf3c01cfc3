#include "experiment/scores.hpp"
#include "evaluate/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dsk::experiment {
namespace {

constexpr Index enough = 5;

/// Counts the kernels that a method chose and how many of them have adjusted eigenvalues.
void count_adjusted(Score& score, const std::vector<SplitResult>& results) {
  const bool may_adjust = (score.method.learning || score.method.automatic) && is_from_paper(score.method);
  for (const SplitResult& result : results) {
    if (result.method != score.method.full_name()) continue;
    ++score.chosen;
    if (may_adjust) score.adjusted += Method::parse(result.chosen).learning && std::isfinite(result.penalty) ? 1 : 0;
  }
}

template <class Value>
std::vector<double> over_tasks(const std::vector<Evaluation>& tasks, std::size_t method, const Value& value) {
  std::vector<double> values;
  values.reserve(tasks.size());
  for (const Evaluation& task : tasks) values.push_back(value(task.methods[method]));
  return values;
}

std::vector<double> means_of_tasks(const std::vector<Evaluation>& tasks, std::size_t method) {
  return over_tasks(tasks, method, [](const MethodResult& one) { return summarise(one.accuracies).mean; });
}

std::vector<double> means_of_splits(const std::vector<Evaluation>& tasks, std::size_t method) {
  std::vector<double> means(tasks.front().methods[method].accuracies.size(), 0);
  for (const Evaluation& task : tasks)
    for (std::size_t s = 0; s < means.size(); ++s)
      means[s] += task.methods[method].accuracies[s] / static_cast<double>(tasks.size());
  return means;
}

/// Summaries over the tasks, with comparisons of values(tasks, method).
template <class Values>
std::vector<Score> scores_of_tasks(const std::vector<Evaluation>& tasks, const Values& values,
                                   const Resampling& splits) {
  std::vector<Score> result;
  for (std::size_t m = 0; m < tasks.front().methods.size(); ++m) {
    Score score{.method = tasks.front().methods[m].method,
                .accuracy = summarise(means_of_tasks(tasks, m)),
                .count = std::ssize(tasks),
                .values = values(tasks, m),
                .splits = splits};
    for (const Evaluation& task : tasks) count_adjusted(score, task.results);
    score.compared = std::ssize(score.values);
    score.balanced =
        summarise(over_tasks(tasks, m, [](const MethodResult& one) { return one.balanced_accuracy.mean; })).mean;
    score.answers_one_class = std::all_of(tasks.begin(), tasks.end(),
                                          [&](const Evaluation& task) { return task.methods[m].answers_one_class; });
    result.push_back(std::move(score));
  }
  std::vector<Method> methods;
  std::vector<double> accuracies;
  for (const Score& score : result) {
    methods.push_back(score.method);
    accuracies.push_back(score.accuracy.mean);
  }
  for (std::size_t m = 0; m < result.size(); ++m) {
    const std::size_t baseline = dsk::detail::baseline_of(methods[m], methods, accuracies);
    result[m].baseline = methods[baseline].full_name();
    if (m != baseline) result[m].against = compare(result[m], result[baseline]);
  }
  adjust_for_number(result);
  return result;
}

/// n_test / n_train of the splits, and the smallest change of an accuracy over so many tasks.
Resampling resampling_of(const Evaluation& evaluation, std::size_t tasks) {
  double train = 0, test = 0;
  for (const Split& split : evaluation.splits) {
    train += static_cast<double>(split.train.size());
    test += static_cast<double>(split.test.size());
  }
  if (train == 0) return {};
  const auto splits = static_cast<double>(evaluation.splits.size());
  return {test / train, splits / (test * static_cast<double>(tasks))};
}

/// Those of single splits, in their order.
std::vector<double> accuracies_of_splits(const Evaluation& evaluation, const std::string& method) {
  std::vector<double> values;
  for (const SplitResult& result : evaluation.results)
    if (result.method == method) values.push_back(result.accuracy);
  return values;
}

}  // namespace

Origin origin_of(const Method& method) {
  if (method.majority) return Origin::majority;
  if (method.best || method.automatic) return Origin::ours;
  if (method.learning)
    return method.learning->as_printed ? Origin::printed
           : method.learning->subspace || method.learning->adjustment == Adjustment::affine ||
                   method.learning->criterion == Criterion::centred ||
                   method.learning->criterion == Criterion::neighbour
               ? Origin::ours
               : Origin::guarded;
  return is_from_paper(method) ? Origin::plain : Origin::field;
}

std::string_view name(Origin origin) {
  switch (origin) {
    case Origin::plain:
      return "plain";
    case Origin::printed:
      return "as printed";
    case Origin::guarded:
      return "guarded";
    case Origin::ours:
      return "ours";
    case Origin::field:
      return "field";
    case Origin::majority:
      return "";
  }
  return "";
}

std::vector<Score> scores(const Evaluation& evaluation) {
  std::vector<Score> result;
  const std::optional<PairedComparison::Test> test = test_of(evaluation);
  for (const MethodResult& one : evaluation.methods) {
    Score score{.method = one.method,
                .accuracy = one.accuracy,
                .baseline = evaluation.methods[one.baseline].method.full_name(),
                .against = one.against,
                .count = std::ssize(one.accuracies),
                .balanced = one.balanced_accuracy.mean,
                .answers_one_class = one.answers_one_class};
    score.compared = std::max(score.count, std::ssize(evaluation.splits));
    score.hits = test == PairedComparison::Test::mcnemar;
    score.values = score.hits ? accuracies_of_splits(evaluation, one.method.full_name()) : one.accuracies;
    if (test == PairedComparison::Test::corrected) score.splits = resampling_of(evaluation, 1);
    count_adjusted(score, evaluation.results);
    result.push_back(std::move(score));
  }
  return result;
}

std::vector<Score> scores_over_tasks(const std::vector<Evaluation>& tasks) {
  return scores_of_tasks(tasks, means_of_splits, resampling_of(tasks.front(), tasks.size()));
}

std::vector<Score> scores_by_task(const std::vector<Evaluation>& tasks) {
  return scores_of_tasks(tasks, means_of_tasks, {});
}

void adjust_for_number(std::vector<Score>& scores) {
  std::vector<double> p_values;
  for (const Score& score : scores)
    if (score.against) p_values.push_back(score.against->p);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  std::size_t next = 0;
  for (Score& score : scores)
    if (score.against) score.against->holm_p = adjusted[next++];
}

std::optional<PairedComparison> compare(const Score& method, const Score& other) {
  if (method.values.size() != other.values.size() || method.values.size() < 2) return {};
  return method.hits ? compare_hits(method.values, other.values)
                     : compare_paired(method.values, other.values, method.splits);
}

bool has_verdict(const Score& score) {
  return score.compared >= enough;
}

bool is_better(const Score& score) {
  return score.against && has_verdict(score) && score.against->difference > 0 &&
         score.against->holm_p < significance_level;
}

bool is_worse(const Score& score) {
  return score.against && has_verdict(score) && score.against->difference < 0 &&
         score.against->holm_p < significance_level;
}

std::string verdict_word(const Score& score) {
  if (!score.against) return "";
  if (!has_verdict(score)) return "too few splits";
  return is_better(score) ? "better" : is_worse(score) ? "worse" : "-";
}

const paper::Accuracy* find(paper::Table paper, const Method& method) {
  const Origin origin = origin_of(method);
  if (origin != Origin::plain && origin != Origin::printed) return nullptr;
  Method printed = method;
  if (printed.learning) printed.learning->as_printed = false;
  const auto found = std::find_if(paper.begin(), paper.end(),
                                  [&](const paper::Accuracy& one) { return one.method == printed.full_name(); });
  return found == paper.end() ? nullptr : &*found;
}

const paper::Accuracy* paper_baseline(paper::Table paper, const Method& method) {
  return find(paper, {.classifier = method.classifier});
}

}  // namespace dsk::experiment
