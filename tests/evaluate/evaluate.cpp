#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

Dataset evaluated_classes(std::uint64_t seed = 0) {
  return wishart_classes({.classes = 3, .per_class = 10, .dim = 3, .degrees = 12, .tau = 0.5, .seed = seed});
}

/// Few enough kernels for a test.
EvaluationOptions some_options(const std::string& methods, const std::string& protocol = "halves:3") {
  EvaluationOptions options;
  options.methods = Method::parse_list(methods);
  options.protocol = Protocol::parse(protocol);
  options.seed = 8;
  options.selection.folds = 3;
  options.selection.seed = 5;
  options.selection.relative_penalties = {1e-2, std::numeric_limits<double>::infinity()};
  options.threads = 1;
  return options;
}

/// Everything but the time it took.
void expect_same(const SplitResult& a, const SplitResult& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.split, b.split);
  EXPECT_EQ(a.predicted, b.predicted);
  EXPECT_EQ(a.theta, b.theta);
  EXPECT_EQ(a.neighbours_or_c, b.neighbours_or_c);
  EXPECT_EQ(a.penalty, b.penalty);
  EXPECT_EQ(a.accuracy, b.accuracy);
  EXPECT_EQ(a.validation_accuracy, b.validation_accuracy);
  EXPECT_EQ(a.chosen, b.chosen);
}

void expect_same(const Evaluation& a, const Evaluation& b) {
  ASSERT_EQ(a.results.size(), b.results.size());
  for (std::size_t k = 0; k < a.results.size(); ++k) expect_same(a.results[k], b.results[k]);
  ASSERT_EQ(a.methods.size(), b.methods.size());
  for (std::size_t m = 0; m < a.methods.size(); ++m) {
    EXPECT_EQ(a.methods[m].accuracies, b.methods[m].accuracies);
    EXPECT_EQ(a.methods[m].confusion, b.methods[m].confusion);
    const auto p = [](const MethodResult& result) { return result.against ? result.against->student_p : -1; };
    EXPECT_EQ(p(a.methods[m]), p(b.methods[m]));
  }
}

/// The number of neighbours that cross-validation with plain distances finds best, the first of several.
Index best_neighbours(const Dataset& train, const SelectionOptions& options) {
  Index best = 0, most = -1;
  for (const Index k : options.neighbours) {
    Index right = 0;
    for (const Split& split : stratified_folds(train.labels(), options.folds, options.seed)) {
      const Dataset held_out = train.select(split.test);
      const Prediction found =
          predict(train_knn(Comparison{}, train.select(split.train), {.neighbours = k}), held_out.matrices());
      for (Index i = 0; i < held_out.size(); ++i) right += found.labels[i] == held_out.labels()[i] ? 1 : 0;
    }
    if (right > most) {
      most = right;
      best = k;
    }
  }
  return best;
}

TEST(Evaluate, PredictsWhatALoopByHandDoes) {
  const Dataset data = evaluated_classes();
  const EvaluationOptions options = some_options("SK:knn,DSK-KA-p:knn", "kfold:3");
  const Evaluation evaluation = evaluate(data, options);
  const std::vector<Split> splits = make_splits(data, options.protocol, options.seed);
  ASSERT_EQ(evaluation.results.size(), 6u);
  for (std::size_t s = 0; s < 3; ++s) {
    const Dataset train = data.select(splits[s].train), test = data.select(splits[s].test);
    const Index k = best_neighbours(train, options.selection);
    const SplitResult& plain = evaluation.results[2 * s];
    EXPECT_EQ(plain.method, "SK:knn");
    EXPECT_EQ(plain.split, static_cast<Index>(s));
    EXPECT_EQ(plain.neighbours_or_c, k);
    EXPECT_EQ(plain.predicted,
              predict(train_knn(Comparison{}, train, {.neighbours = k}), test.matrices()).labels.codes());

    FitOptions learning{.criterion = Criterion::alignment, .adjustment = Adjustment::power};
    const PenaltyChoice choice = choose_penalty(
        train, learning, {.relative_penalties = options.selection.relative_penalties, .folds = 3, .seed = 5});
    learning.penalty = choice.best.penalty;
    const LearnedKernel kernel = fit_kernel(train, learning).kernel;
    const SplitResult& learned = evaluation.results[2 * s + 1];
    EXPECT_EQ(learned.method, "DSK-KA-p:knn");
    EXPECT_EQ(learned.penalty, choice.best.penalty);
    EXPECT_EQ(learned.validation_accuracy, choice.best.accuracy);
    EXPECT_EQ(learned.theta, kernel.theta());
    const auto model = train_knn(kernel, train, {.neighbours = static_cast<Index>(choice.best.neighbours_or_c)});
    EXPECT_EQ(learned.predicted, predict(model, test.matrices()).labels.codes());
  }
}

TEST(Evaluate, PredictsWithOtherNumbersOfNeighboursToo) {
  const Dataset data = evaluated_classes(3);
  const std::string learned = "DSK-KA-p:knn,DSK-KA-p-printed:knn,";
  EvaluationOptions options = some_options(learned + "SK:knn,LEK:knn,SK:svm", "halves:2");
  options.other_neighbours = {1, 4};
  const Evaluation both = evaluate(data, options);
  for (const SplitResult& result : both.results)
    EXPECT_EQ(result.by_neighbours.size(), result.method == "SK:svm" ? 0u : 2u) << result.method;
  for (const Index k : options.other_neighbours) {
    EvaluationOptions alone = some_options(learned + "SK:knn,LEK:knn", "halves:2");
    alone.selection.neighbours = {k};
    for (const SplitResult& expected : evaluate(data, alone).results)
      for (const SplitResult& result : both.results)
        if (result.method == expected.method && result.split == expected.split) {
          EXPECT_EQ(result.by_neighbours.at(k), expected.predicted) << result.method << ", k = " << k;
        }
  }
}

TEST(Evaluate, TakesTheFirstSplitsOnly) {
  const Dataset data = evaluated_classes(4);
  EvaluationOptions options = some_options("SK:knn", "halves:5");
  const Evaluation all = evaluate(data, options);
  options.first_splits = 2;
  const Evaluation two = evaluate(data, options);
  ASSERT_EQ(two.splits.size(), 2u);
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(two.methods[0].accuracies[s], all.methods[0].accuracies[s]);
    EXPECT_EQ(two.results[s].accuracy, two.methods[0].accuracies[s]);
  }
  options.first_splits = 0;
  EXPECT_EQ(message_of([&] { evaluate(data, options); }), "first_splits 0 must be 1 or more");
}

TEST(Evaluate, SameResultsForAnyNumberOfThreads) {
  const Dataset data = evaluated_classes();
  for (const std::string protocol : {"halves:3", "loo"}) {
    EvaluationOptions options = some_options("SK:svm,DSK-CA-a:knn", protocol);
    options.selection.penalty = 0.05;
    const Evaluation one = evaluate(data, options);
    options.threads = 2;
    expect_same(one, evaluate(data, options));
  }
  EvaluationOptions single = some_options("DSK-RM-p:svm", "halves:1");
  const Evaluation one = evaluate(data, single);
  single.threads = 2;
  expect_same(one, evaluate(data, single));
}

TEST(Evaluate, MethodsThatShareWhatTheyLearnPredictAsEachAlone) {
  const Dataset data = wishart_classes({.classes = 3, .per_class = 12, .dim = 6, .degrees = 15, .tau = 0.4, .seed = 2});
  EvaluationOptions options = some_options("auto,DSK-CA-s:knn,DSK-CA-s:svm,DSK-NN-s:knn");
  const std::vector<Method> methods = options.methods;
  options.threads = 3;
  const Evaluation together = evaluate(data, options);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    options.methods = {methods[m]};
    const Evaluation alone = evaluate(data, options);
    for (std::size_t split = 0; split < alone.splits.size(); ++split)
      expect_same(together.results[split * methods.size() + m], alone.results[split]);
  }
}

TEST(Evaluate, GoesOnWhereAnEarlierRunStopped) {
  const Dataset data = evaluated_classes();
  EvaluationOptions options = some_options("SK:knn,DSK-CA-a:knn,LEK:svm");
  const Evaluation whole = evaluate(data, options);
  for (const std::size_t kept : {0u, 1u, 4u, 9u}) {
    options.finished.clear();
    for (std::size_t k = 0; k < kept; ++k) options.finished.push_back(whole.results[(k * 7) % 9]);
    std::vector<std::string> computed;
    options.on_result = [&](const SplitResult& result) {
      computed.push_back(result.method + std::to_string(result.split));
      for (const SplitResult& known : options.finished)
        EXPECT_FALSE(known.method == result.method && known.split == result.split);
      return true;
    };
    expect_same(whole, evaluate(data, options));
    EXPECT_EQ(computed.size(), 9 - kept);
  }
  options.finished[0].predicted.pop_back();
  EXPECT_TRUE(message_of([&] { evaluate(data, options); }).starts_with("finished results do not fit: method "));
  options.finished = {whole.results[0]};
  options.finished[0].predicted[0] = 3;
  EXPECT_EQ(message_of([&] { evaluate(data, options); }), "finished results do not fit: method SK:knn, split 1");
  options.finished = {whole.results[0]};
  options.finished[0].split = 3;
  EXPECT_EQ(message_of([&] { evaluate(data, options); }), "finished results do not fit: method SK:knn, split 4");
}

TEST(Evaluate, SaysHowFarItIs) {
  const Dataset data = evaluated_classes();
  EvaluationOptions options = some_options("SK:knn,LEK:svm,MDM");
  options.finished = {evaluate(data, options).results[0]};
  std::vector<EvaluationOptions::Progress> seen;
  options.on_progress = [&](const EvaluationOptions::Progress& now) {
    seen.push_back(now);
    return true;
  };
  evaluate(data, options);
  ASSERT_EQ(seen.size(), 8u);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].done, static_cast<Index>(k) + 2);
    EXPECT_EQ(seen[k].all, 9);
    EXPECT_LE(seen[k].share, 1);
  }
  EXPECT_EQ(seen.front().share, 0) << "nothing is known of two methods";
  EXPECT_EQ(seen.back().share, 1);
  options.on_progress = [](const EvaluationOptions::Progress& now) { return now.done < 4; };
  EXPECT_THROW(evaluate(data, options), Cancelled);
}

TEST(Evaluate, StopsWhenAsked) {
  for (const int threads : {1, 2}) {
    EvaluationOptions options = some_options("SK:knn,EUK:knn,CHK:knn", "halves:20");
    options.threads = threads;
    int calls = 0;
    options.on_result = [&](const SplitResult&) { return ++calls < 4; };
    EXPECT_THROW(evaluate(evaluated_classes(), options), Cancelled);
    EXPECT_GE(calls, 4);
    EXPECT_LE(calls, 4 + threads - 1);
  }
}

TEST(Evaluate, ScoresAreWhatThePredictionsSay) {
  std::vector<Index> unequal;
  for (Index i = 0; i < 24; ++i) unequal.push_back(i);
  const Dataset data = evaluated_classes().select(unequal);
  const Evaluation evaluation = evaluate(data, some_options("SK:knn,LEK:svm", "kfold:4"));
  for (const std::size_t m : {0u, 1u}) {
    const MethodResult& method = evaluation.methods[m];
    Matrix confusion = Matrix::Zero(3, 3);
    std::vector<double> accuracies, balanced;
    for (const SplitResult& result : evaluation.results) {
      if (result.method != method.method.full_name()) continue;
      const std::vector<Index>& test = evaluation.splits[static_cast<std::size_t>(result.split)].test;
      ASSERT_EQ(result.predicted.size(), test.size());
      double right = 0, right_of[3] = {}, members[3] = {};
      for (std::size_t i = 0; i < test.size(); ++i) {
        const int truth = data.labels()[test[i]];
        ++confusion(truth, result.predicted[i]);
        ++members[truth];
        if (truth != result.predicted[i]) continue;
        ++right;
        ++right_of[truth];
      }
      accuracies.push_back(right / static_cast<double>(test.size()));
      balanced.push_back((right_of[0] / members[0] + right_of[1] / members[1] + right_of[2] / members[2]) / 3);
    }
    EXPECT_EQ(method.confusion, confusion);
    EXPECT_EQ(method.accuracies, accuracies);
    EXPECT_EQ(method.balanced_accuracies, balanced);
    EXPECT_EQ(method.accuracy.mean, summarise(accuracies).mean);
    EXPECT_EQ(method.accuracy.deviation, summarise(accuracies).deviation);
    double pooled = 0;
    for (Index c = 0; c < 3; ++c) pooled += confusion(c, c) / confusion.row(c).sum() / 3;
    EXPECT_EQ(method.balanced_accuracy.mean, pooled);
    EXPECT_EQ(method.balanced_accuracy.deviation, summarise(balanced).deviation);
  }
  const PairedComparison expected = compare_paired(evaluation.methods[1].accuracies, evaluation.methods[0].accuracies);
  EXPECT_FALSE(evaluation.methods[0].against);
  EXPECT_EQ(evaluation.methods[1].against->student_p, expected.student_p);
  EXPECT_EQ(evaluation.methods[1].against->wilcoxon_p, expected.wilcoxon_p);
}

TEST(Evaluate, BaselineIsThePlainSteinKernel) {
  const auto baselines = [](const std::string& methods) {
    std::vector<std::size_t> result;
    for (const MethodResult& method : evaluate(evaluated_classes(), some_options(methods, "halves:2")).methods) {
      EXPECT_EQ(method.against.has_value(), method.baseline != result.size());
      result.push_back(method.baseline);
    }
    return result;
  };
  const auto of_both = baselines("EUK:knn,SK:svm,LEK:svm,SK:knn");
  EXPECT_EQ(std::vector(of_both.begin(), of_both.end() - 1), (std::vector<std::size_t>{3, 1, 1, 3}));
  EXPECT_EQ(baselines("EUK:knn,SK:svm,CHK:knn"), (std::vector<std::size_t>{1, 1, 1, 1}));
  EXPECT_EQ(baselines("EUK:knn,LEK:svm"), (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(baselines("AIRM"), (std::vector<std::size_t>{0, 0})) << "and the majority class";
}

/// Methods that use neither k-NN nor an SVM must not be compared with the weaker row of SK.
TEST(Evaluate, BaselineOfOtherMethodsIsTheMoreAccurateSteinKernel) {
  std::vector<Method> methods =
      Method::parse_list("MDM,SK:knn,SK:svm,TS:lr,TS:svm,auto,majority,DSK-KA-p:knn,MK:svm,DSK-CA-s:mean");
  methods.push_back({.outside = "mine"});
  const auto baselines = [&](double knn, double svm) {
    std::vector<double> accuracies(methods.size(), 1);
    accuracies[1] = knn;
    accuracies[2] = svm;
    std::vector<std::size_t> result;
    for (const Method& method : methods) result.push_back(detail::baseline_of(method, methods, accuracies));
    return result;
  };
  EXPECT_EQ(baselines(0.7, 0.8), (std::vector<std::size_t>{2, 1, 2, 2, 2, 2, 2, 1, 2, 2, 2}));
  EXPECT_EQ(baselines(0.8, 0.7), (std::vector<std::size_t>{1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1}));
  EXPECT_EQ(baselines(0.8, 0.8)[0], 1u) << "the first of equal ones";
}

TEST(Evaluate, LeaveOneOutHasOneScore) {
  const Dataset data = evaluated_classes();
  const Evaluation evaluation = evaluate(data, some_options("SK:knn,EUK:knn", "loo"));
  ASSERT_EQ(evaluation.results.size(), 60u);
  std::vector<double> hits[2];
  for (const SplitResult& result : evaluation.results)
    hits[result.method == "SK:knn" ? 0 : 1].push_back(result.predicted[0] == data.labels()[result.split] ? 1 : 0);
  for (const std::size_t m : {0u, 1u}) {
    EXPECT_EQ(evaluation.methods[m].accuracies, std::vector<double>{summarise(hits[m]).mean});
    EXPECT_EQ(evaluation.methods[m].confusion.sum(), 30);
  }
  EXPECT_EQ(evaluation.methods[1].against->p, compare_hits(hits[1], hits[0]).p);
  EXPECT_EQ(evaluation.methods[1].against->student_p, compare_paired(hits[1], hits[0]).student_p);
}

TEST(Evaluate, OneSplitIsNotCompared) {
  for (const MethodResult& result : evaluate(evaluated_classes(), some_options("SK,EUK", "halves:1")).methods)
    EXPECT_FALSE(result.against);
}

TEST(Evaluate, RefusesBadInput) {
  const Dataset data = evaluated_classes();
  EvaluationOptions options = some_options("SK");
  options.methods.clear();
  EXPECT_EQ(message_of([&] { evaluate(data, options); }), "no methods to evaluate");
  options.methods = {Method::parse("SK"), Method::parse("SK")};
  EXPECT_EQ(message_of([&] { evaluate(data, options); }), "method SK:knn is named twice");
  for (const std::string protocol : {"halves:2", "loo"})
    EXPECT_SAYS(message_of([&] { evaluate(Dataset(data.matrices()), some_options("SK", protocol)); }), "has no labels");
}

}  // namespace
}  // namespace dsk::test
