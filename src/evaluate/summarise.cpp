#include "evaluate/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "machine/messages.hpp"

namespace dsk {
namespace detail {
namespace {

/// The results of one method, split by split.
using MethodSplits = std::vector<const SplitResult*>;

/// What always answering with the most frequent class of the training part gives.
std::vector<SplitResult> majority_results(const Dataset& data, const std::vector<Split>& splits) {
  std::vector<SplitResult> results(splits.size());
  for (std::size_t s = 0; s < splits.size(); ++s) {
    results[s].split = static_cast<Index>(s);
    results[s].predicted.assign(splits[s].test.size(), most_frequent_class(data.select(splits[s].train)).code);
  }
  return results;
}

/// An accuracy is between 0 and 1, which Student's distribution does not know.
Interval within_shares(const Interval& interval) {
  return {std::max(interval.low, 0.0), std::min(interval.high, 1.0)};
}

/// Everything that is computed from the predictions of all methods.
class Summariser {
 public:
  Summariser(const Dataset& data, const Evaluation& evaluation)
      : labels_(data.labels()), splits_(evaluation.splits), test_(test_of(evaluation)) {
    double train = 0, test = 0, largest = 0;
    for (const Split& split : splits_) {
      train += static_cast<double>(split.train.size());
      test += static_cast<double>(split.test.size());
      largest = std::max(largest, static_cast<double>(split.test.size()));
    }
    resampling_ = {test_ == PairedComparison::Test::corrected ? test / train : 0, 1 / largest};
    members_.assign(labels_.names().size(), false);
    for (const int code : labels_.codes()) members_[static_cast<std::size_t>(code)] = true;
    scored_.assign(labels_.names().size(), false);
    for (const Split& split : splits_)
      for (const Index i : split.test) scored_[static_cast<std::size_t>(labels_[i])] = true;
  }

  std::vector<std::string> not_scored() const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < scored_.size(); ++c)
      if (members_[c] && !scored_[c]) names.push_back(labels_.names()[c]);
    return names;
  }

  MethodResult result_of(const Method& method, const MethodSplits& splits) const {
    const auto classes = static_cast<Index>(scored_.size());
    MethodResult result;
    result.method = method;
    result.confusion = Matrix::Zero(classes, classes);
    bool several_to_tell = false, one_answer_each = true;
    for (const SplitResult* const one : splits) {
      const Matrix confusion = confusion_of(*one);
      result.confusion += confusion;
      result.seconds += one->seconds;
      if (test_ != PairedComparison::Test::mcnemar) result.accuracies.push_back(confusion.trace() / confusion.sum());
      if (scores_all(confusion)) result.balanced_accuracies.push_back(balanced_accuracy(confusion));
      if ((confusion.rowwise().sum().array() > 0).count() < 2) continue;
      several_to_tell = true;
      one_answer_each = one_answer_each && answers_one(confusion);
    }
    if (test_ == PairedComparison::Test::mcnemar)
      result.accuracies = {result.confusion.trace() / result.confusion.sum()};
    result.answers_one_class = answers_one(result.confusion) || (several_to_tell && one_answer_each);
    result.accuracy = summarise(result.accuracies);
    result.balanced_accuracy.mean = balanced_accuracy(result.confusion);
    if (result.balanced_accuracies.size() > 1)
      result.balanced_accuracy.deviation = summarise(result.balanced_accuracies).deviation;
    if (test_ == PairedComparison::Test::mcnemar)
      result.interval = share_interval(std::lround(result.confusion.trace()), std::lround(result.confusion.sum()));
    else if (test_)
      result.interval = within_shares(mean_interval(result.accuracies, resampling_));
    return result;
  }

  std::optional<PairedComparison> compare(const MethodSplits& method, const MethodSplits& baseline) const {
    if (!test_) return {};
    if (test_ == PairedComparison::Test::mcnemar) return compare_hits(hits(method), hits(baseline));
    return compare_paired(accuracies(method), accuracies(baseline), resampling_);
  }

 private:
  const std::vector<Index>& test_part(const SplitResult& result) const {
    return splits_[static_cast<std::size_t>(result.split)].test;
  }

  Matrix confusion_of(const SplitResult& result) const {
    const auto classes = static_cast<Index>(scored_.size());
    Matrix confusion = Matrix::Zero(classes, classes);
    const std::vector<Index>& test = test_part(result);
    for (std::size_t i = 0; i < test.size(); ++i) ++confusion(labels_[test[i]], result.predicted[i]);
    return confusion;
  }

  /// Whether the confusion matrix has members of all classes that are scored at all.
  bool scores_all(const Matrix& confusion) const {
    for (Index c = 0; c < confusion.rows(); ++c)
      if (scored_[static_cast<std::size_t>(c)] && confusion.row(c).sum() == 0) return false;
    return true;
  }

  double balanced_accuracy(const Matrix& confusion) const {
    double sum = 0, classes = 0;
    for (Index c = 0; c < confusion.rows(); ++c) {
      if (!scored_[static_cast<std::size_t>(c)]) continue;
      sum += confusion(c, c) / confusion.row(c).sum();
      ++classes;
    }
    return sum / classes;
  }

  static bool answers_one(const Matrix& confusion) { return (confusion.colwise().sum().array() > 0).count() == 1; }

  /// For each test matrix whether it was classified correctly.
  std::vector<double> hits(const MethodSplits& splits) const {
    std::vector<double> result;
    for (const SplitResult* const one : splits) {
      const std::vector<Index>& test = test_part(*one);
      for (std::size_t i = 0; i < test.size(); ++i) result.push_back(labels_[test[i]] == one->predicted[i] ? 1 : 0);
    }
    return result;
  }

  std::vector<double> accuracies(const MethodSplits& splits) const {
    std::vector<double> result;
    for (const SplitResult* const one : splits) result.push_back(summarise(hits({one})).mean);
    return result;
  }

  const Labels& labels_;
  const std::vector<Split>& splits_;
  std::optional<PairedComparison::Test> test_;
  Resampling resampling_;
  std::vector<bool> members_;  ///< by class: whether there are matrices of it
  std::vector<bool> scored_;   ///< by class: whether one of them is in a test part
};

void adjust_by_holm(const std::vector<PairedComparison*>& comparisons) {
  std::vector<double> p_values;
  p_values.reserve(comparisons.size());
  for (const PairedComparison* const one : comparisons) p_values.push_back(one->p);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t k = 0; k < comparisons.size(); ++k) comparisons[k]->holm_p = adjusted[k];
}

void compare_with_baselines(const Summariser& summariser, const std::vector<MethodSplits>& splits,
                            std::vector<MethodResult>& methods) {
  std::vector<PairedComparison*> made;
  std::vector<Method> all;
  std::vector<double> accuracies;
  for (const MethodResult& one : methods) {
    all.push_back(one.method);
    accuracies.push_back(one.accuracy.mean);
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    methods[m].baseline = baseline_of(all[m], all, accuracies);
    if (methods[m].baseline == m) continue;
    methods[m].against = summariser.compare(splits[m], splits[methods[m].baseline]);
    if (methods[m].against) made.push_back(&*methods[m].against);
  }
  adjust_by_holm(made);
}

/// The position of the highest accuracy, the first of several, among methods other than this one and the majority
/// class.
std::optional<std::size_t> highest(const std::vector<MethodResult>& methods, std::optional<std::size_t> without) {
  std::optional<std::size_t> found;
  for (std::size_t m = 0; m < methods.size(); ++m)
    if (m != without && !methods[m].method.majority &&
        (!found || methods[m].accuracy.mean > methods[*found].accuracy.mean))
      found = m;
  return found;
}

Evaluation::Ranking ranking_of(const Summariser& summariser, const std::vector<MethodSplits>& splits,
                               const std::vector<MethodResult>& methods) {
  Evaluation::Ranking ranking;
  while (!methods[ranking.majority].method.majority) ++ranking.majority;
  ranking.best = highest(methods, {}).value_or(ranking.majority);
  ranking.runner_up = highest(methods, ranking.best);
  std::map<std::size_t, PairedComparison> over;
  std::vector<PairedComparison*> made;
  for (std::size_t m = 0; m < methods.size(); ++m)
    if (m != ranking.best)
      if (const auto comparison = summariser.compare(splits[ranking.best], splits[m]))
        made.push_back(&(over[m] = *comparison));
  adjust_by_holm(made);
  if (ranking.runner_up && over.contains(*ranking.runner_up)) ranking.over_runner_up = over[*ranking.runner_up];
  if (over.contains(ranking.majority)) ranking.over_majority = over[ranking.majority];
  return ranking;
}

/// For each method what was wrong on the first split where anything was, and on how many others something was.
void warn_of_training(Evaluation& evaluation) {
  for (const MethodResult& method : evaluation.methods) {
    const SplitResult* first = nullptr;
    Index others = 0;
    for (const SplitResult& result : evaluation.results) {
      if (result.method != method.method.full_name() || result.warnings.empty()) continue;
      if (first == nullptr)
        first = &result;
      else
        ++others;
    }
    if (first == nullptr) continue;
    const std::string where = others == 0 ? fmt::format("split {}", first->split + 1)
                                          : fmt::format("split {}; {} have warnings too", first->split + 1,
                                                        detail::counted(others, "other split"));
    for (const std::string& sentence : first->warnings)
      evaluation.warnings.push_back(fmt::format("{}: {} ({})", method.method.full_name(), sentence, where));
  }
}

void warn(Evaluation& evaluation) {
  if (const auto& names = evaluation.not_scored; !names.empty())
    evaluation.warnings.push_back(
        fmt::format("{} of {} classes {} never scored ({}): no test part has a matrix of {}; balanced accuracies are "
                    "means over the other classes",
                    names.size(), evaluation.class_names.size(), names.size() == 1 ? "is" : "are",
                    listed_classes(names), names.size() == 1 ? "it" : "them"));
  for (const MethodResult& result : evaluation.methods)
    if (result.answers_one_class && !result.method.majority)
      evaluation.warnings.push_back(
          fmt::format("{0} always predicts one class, like majority, so that doing better than {0} is no success",
                      result.method.full_name()));
  warn_of_training(evaluation);
}

}  // namespace

std::size_t baseline_of(const Method& method, std::span<const Method> methods, std::span<const double> accuracies) {
  const bool has_kernel = !method.best && !method.majority && method.outside.empty();
  std::optional<std::size_t> highest;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    if (methods[m].name() != "SK") continue;
    if (has_kernel && methods[m].classifier == method.classifier) return m;
    if (!highest || accuracies[m] > accuracies[*highest]) highest = m;
  }
  return highest.value_or(0);
}

MostFrequent most_frequent_class(const Dataset& train) {
  const Labels& labels = train.labels();
  std::vector<double> sums(labels.names().size());
  double whole = 0;
  for (Index i = 0; i < labels.size(); ++i) {
    const double weight = train.weights().empty() ? 1 : train.weights()[static_cast<std::size_t>(i)];
    sums[static_cast<std::size_t>(labels[i])] += weight;
    whole += weight;
  }
  const auto most = std::max_element(sums.begin(), sums.end());
  return {static_cast<int>(most - sums.begin()), *most / whole};
}

std::string listed_classes(const std::vector<std::string>& names) {
  constexpr std::size_t most_named = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most_named); ++k)
    text += fmt::format("{}'{}'", k == 0 ? "" : ", ", names[k]);
  if (names.size() > most_named) text += fmt::format(" and {} more", names.size() - most_named);
  return text;
}

void summarise_methods(const Dataset& data, const std::vector<Method>& methods, Evaluation& evaluation) {
  const Summariser summariser(data, evaluation);
  std::map<std::string, MethodSplits> by_name;
  for (const SplitResult& result : evaluation.results) by_name[result.method].push_back(&result);
  std::vector<MethodSplits> splits;
  for (const Method& method : methods) {
    splits.push_back(by_name[method.full_name()]);
    evaluation.methods.push_back(summariser.result_of(method, splits.back()));
  }
  std::vector<SplitResult> majority;
  if (std::none_of(methods.begin(), methods.end(), [](const Method& method) { return method.majority; })) {
    majority = majority_results(data, evaluation.splits);
    splits.emplace_back();
    for (const SplitResult& result : majority) splits.back().push_back(&result);
    evaluation.methods.push_back(summariser.result_of({.majority = true}, splits.back()));
  }
  compare_with_baselines(summariser, splits, evaluation.methods);
  evaluation.ranking = ranking_of(summariser, splits, evaluation.methods);
  evaluation.not_scored = summariser.not_scored();
  warn(evaluation);
}

}  // namespace detail

std::optional<PairedComparison::Test> test_of(const Evaluation& evaluation) {
  if (evaluation.splits.size() < 2) return {};
  const bool one_left_out =
      evaluation.protocol.kind == Protocol::Kind::loo || evaluation.protocol.kind == Protocol::Kind::logo;
  if (!one_left_out) return PairedComparison::Test::corrected;
  return evaluation.groups > 0 ? PairedComparison::Test::student : PairedComparison::Test::mcnemar;
}

}  // namespace dsk
