// What an evaluation makes of given predictions: scores, comparisons, notes and the answer.

#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <functional>
#include <limits>
#include <numeric>

#include "evaluate/evaluate.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

constexpr double score_rounding = 64 * std::numeric_limits<double>::epsilon();

/// Matrices of these classes, and in these groups if there are any.
Dataset of_classes(const std::vector<int>& classes, const std::vector<int>& groups = {}) {
  const auto integers = [](const std::vector<int>& values) {
    return Labels(std::vector<long long>(values.begin(), values.end()));
  };
  const auto count = static_cast<Index>(classes.size());
  std::optional<Labels> groups_of;
  if (!groups.empty()) groups_of = integers(groups);
  return Dataset(random_spd({.count = count, .dim = 2}), integers(classes), groups_of);
}

/// The class that a method predicts for a matrix on a split.
using Answering = std::function<int(const std::string& method, Index split, Index matrix)>;

Evaluation answered(const Dataset& data, const std::string& methods, const std::string& protocol,
                    const Answering& predicted) {
  EvaluationOptions options;
  options.methods = Method::parse_list(methods);
  options.protocol = Protocol::parse(protocol);
  options.keep_kernel = false;
  const std::vector<Split> splits = make_splits(data, options.protocol, options.seed);
  for (std::size_t s = 0; s < splits.size(); ++s)
    for (const Method& method : options.methods) {
      SplitResult result;
      result.method = result.chosen = method.full_name();
      result.split = static_cast<Index>(s);
      for (const Index i : splits[s].test) result.predicted.push_back(predicted(result.method, result.split, i));
      options.finished.push_back(std::move(result));
    }
  return evaluate(data, options);
}

nlohmann::json json_of(const Evaluation& evaluation) {
  return nlohmann::json::parse(as_json(evaluation));
}

/// So many members of class 0, 1, ...
std::vector<int> counted(const std::vector<int>& counts) {
  std::vector<int> classes;
  for (std::size_t c = 0; c < counts.size(); ++c)
    classes.insert(classes.end(), static_cast<std::size_t>(counts[c]), static_cast<int>(c));
  return classes;
}

TEST(BalancedAccuracy, IsThatOfTheConfusionMatrix) {
  const Dataset data = of_classes(counted({98, 2}));
  const Evaluation evaluation =
      answered(data, "SK:knn", "kfold:10", [](const std::string&, Index, Index) { return 0; });
  const MethodResult& result = evaluation.methods[0];
  EXPECT_NEAR(result.accuracy.mean, 0.98, 1e-3);
  EXPECT_EQ(result.balanced_accuracy.mean, 0.5);
  EXPECT_EQ(result.balanced_accuracies, (std::vector<double>{0.5, 0.5})) << "of the two folds that have both classes";
  EXPECT_EQ(json_of(evaluation)["methods"][0]["balanced_mean"], 0.5);
}

TEST(BalancedAccuracy, LeavesOutAndNamesClassesThatAreNeverScored) {
  const Dataset data = of_classes(counted({10, 10, 1}));
  for (const std::string protocol : {"kfold:5", "halves:3"}) {
    const Evaluation evaluation = answered(data, "SK:knn", protocol, [&](const std::string&, Index, Index i) {
      return data.labels()[i] == 0 || i % 2 == 0 ? data.labels()[i] : 0;
    });
    EXPECT_EQ(evaluation.not_scored, std::vector<std::string>{"2"});
    ASSERT_EQ(evaluation.warnings.size(), 1u);
    EXPECT_SAYS(evaluation.warnings[0], "1 of 3 classes is never scored ('2')");
    EXPECT_EQ(json_of(evaluation)["not_scored"], evaluation.not_scored);
    EXPECT_EQ(json_of(evaluation)["warnings"], evaluation.warnings);
    const Matrix& confusion = evaluation.methods[0].confusion;
    EXPECT_EQ(confusion.row(2).sum(), 0);
    EXPECT_NEAR(evaluation.methods[0].balanced_accuracy.mean, (1 + confusion(1, 1) / confusion.row(1).sum()) / 2,
                score_rounding);
  }
  const Evaluation whole = answered(of_classes(counted({4, 4})), "SK:knn", "kfold:2",
                                    [](const std::string&, Index, Index i) { return i / 4; });
  EXPECT_TRUE(whole.not_scored.empty());
  EXPECT_TRUE(whole.warnings.empty());
  EXPECT_FALSE(json_of(whole).contains("not_scored"));
}

/// Four groups of ten matrices, five of each class. The number of correct answers of a method in each group.
Evaluation by_group(const std::string& protocol, const std::vector<int>& plain, const std::vector<int>& other) {
  std::vector<int> classes, groups;
  for (int i = 0; i < 40; ++i) {
    classes.push_back(i % 2);
    groups.push_back(i / 10);
  }
  const Dataset data = of_classes(classes, groups);
  return answered(data, "SK:knn,LEK:knn", protocol, [&](const std::string& method, Index, Index i) {
    const int right = (method == "SK:knn" ? plain : other)[static_cast<std::size_t>(i / 10)];
    return i % 10 < right ? data.labels()[i] : 1 - data.labels()[i];
  });
}

TEST(GroupTest, ComparesGroupsAndNotMatrices) {
  for (const std::string protocol : {"logo", "loo"}) {
    const Evaluation evaluation = by_group(protocol, {7, 7, 6, 8}, {9, 8, 9, 8});
    EXPECT_EQ(test_of(evaluation), PairedComparison::Test::student);
    const MethodResult& result = evaluation.methods[1];
    EXPECT_EQ(result.accuracies, (std::vector<double>{0.9, 0.8, 0.9, 0.8}));
    const PairedComparison& against = result.against.value();
    EXPECT_EQ(against.test, PairedComparison::Test::student);
    EXPECT_NEAR(against.p, 0.10272807885839894, 1e3 * score_rounding);  // ttest_rel([.9, .8, .9, .8], [.7, .7, .6, .8])
    EXPECT_NEAR(against.difference, 0.15, score_rounding);
    EXPECT_NEAR((result.interval->low + result.interval->high) / 2, 0.85, score_rounding);
    EXPECT_NEAR(result.interval->high - 0.85, 0.0918693115518539,
                1e3 * score_rounding);  // t.interval(0.95, 3, 0, sem(..))
    EXPECT_EQ(protocol_in_words(evaluation), "leave one subject out (4 groups)");
    EXPECT_EQ(json_of(evaluation)["methods"][1]["against"]["test"], "paired t-test");
  }
}

TEST(LeaveOneOutTest, IsMcNemars) {
  const Dataset data = of_classes(counted({15, 15}));
  const Evaluation evaluation = answered(data, "SK:knn,LEK:knn", "loo", [&](const std::string& method, Index, Index i) {
    const bool right = method == "SK:knn" ? i % 3 != 0 : i != 4;  // 10 of 30 wrong; 1 wrong
    return right ? data.labels()[i] : 1 - data.labels()[i];
  });
  EXPECT_EQ(test_of(evaluation), PairedComparison::Test::mcnemar);
  const PairedComparison& against = evaluation.methods[1].against.value();
  EXPECT_EQ(against.test, PairedComparison::Test::mcnemar);
  EXPECT_NEAR(against.p, 0.01171875, score_rounding);  // binomtest(1, 11).pvalue
  const MethodResult& plain = evaluation.methods[0];
  EXPECT_EQ(plain.accuracies, std::vector<double>{20 / 30.0});
  EXPECT_NEAR(plain.interval->low, 0.4718799552101195, 1e3 * score_rounding);  // binomtest(20, 30).proportion_ci(0.95)
  EXPECT_NEAR(plain.interval->high, 0.8271257784739607, 1e3 * score_rounding);
  EXPECT_TRUE(json_of(evaluation)["methods"][0]["std"].is_null());
  EXPECT_EQ(protocol_in_words(evaluation), "leave one out (30 matrices)");
}

/// Wrong on the first `wrong` matrices of each test part, and on one more on every other split.
Answering wrong_on(const Dataset& data, const std::map<std::string, int>& wrong) {
  return [&data, wrong, last = std::map<std::string, std::pair<Index, int>>()](const std::string& method, Index split,
                                                                               Index i) mutable {
    auto& [of_split, seen] = last[method];
    if (of_split != split || seen == 0) of_split = split, seen = 0;
    const int limit = wrong.at(method) + (wrong.at(method) > 0 && split % 2 == 0 ? 1 : 0);
    return seen++ < limit ? 1 - data.labels()[i] : data.labels()[i];
  };
}

TEST(SplitTest, IsCorrectedForSharedTrainingParts) {
  const Dataset data = of_classes(counted({20, 20}));
  for (const auto& [protocol, share] : {std::pair<std::string, double>{"halves:6", 1}, {"kfold:5", 0.25}}) {
    const Evaluation evaluation = answered(data, "SK:knn,LEK:knn,EUK:knn", protocol,
                                           wrong_on(data, {{"SK:knn", 3}, {"LEK:knn", 1}, {"EUK:knn", 2}}));
    EXPECT_EQ(test_of(evaluation), PairedComparison::Test::corrected);
    std::vector<double> p;
    for (const std::size_t m : {1u, 2u, 3u}) {
      const MethodResult &result = evaluation.methods[m], &plain = evaluation.methods[0];
      const double tested = share == 1 ? 20 : 8;
      const PairedComparison expected =
          compare_paired(result.accuracies, plain.accuracies, {.test_to_train = share, .step = 1 / tested});
      EXPECT_EQ(result.against->test, PairedComparison::Test::corrected);
      EXPECT_NEAR(result.against->p, expected.p, score_rounding);
      EXPECT_NEAR(result.against->low, expected.low, score_rounding);
      EXPECT_EQ(result.against->student_p, compare_paired(result.accuracies, plain.accuracies).student_p);
      const Interval interval = mean_interval(result.accuracies, {.test_to_train = share, .step = 1 / tested});
      EXPECT_NEAR(result.interval->low, interval.low, score_rounding);
      EXPECT_LT(result.interval->low, result.interval->high);
      EXPECT_NEAR(result.interval->high, std::min(interval.high, 1.0), score_rounding) << "no accuracy is above 1";
      p.push_back(result.against->p);
    }
    const std::vector<double> adjusted = holm_adjusted(p);
    for (const std::size_t m : {1u, 2u, 3u}) EXPECT_EQ(evaluation.methods[m].against->holm_p, adjusted[m - 1]);
    const nlohmann::json against = json_of(evaluation)["methods"][1]["against"];
    EXPECT_EQ(against["test"], "corrected resampled t-test");
    EXPECT_EQ(against["p_holm"], adjusted[0]);
  }
}

TEST(SplitTest, NeedsMoreThanOneSplit) {
  const Dataset data = of_classes(counted({6, 6}));
  const Evaluation evaluation =
      answered(data, "SK:knn,LEK:knn", "halves:1", wrong_on(data, {{"SK:knn", 1}, {"LEK:knn", 0}}));
  EXPECT_FALSE(test_of(evaluation));
  for (const MethodResult& result : evaluation.methods) {
    EXPECT_FALSE(result.against);
    EXPECT_FALSE(result.interval);
  }
  const nlohmann::json row = json_of(evaluation)["methods"][0];
  for (const std::string key : {"std", "balanced_std", "interval"}) EXPECT_TRUE(row[key].is_null()) << key;
  EXPECT_EQ(
      answer(evaluation),
      "LEK:knn is best with 100.0 %; the runner-up is SK:knn (66.7 %). The majority class has 50.0 %; one split is "
      "not enough for a test.");
}

TEST(Majority, IsTheLastRowUnlessAskedFor) {
  const Dataset data = of_classes(counted({30, 10}));
  const auto right = [&](const std::string& method, Index, Index i) {
    return method == "majority" ? 0 : data.labels()[i];
  };
  const Evaluation added = answered(data, "SK:knn", "halves:4", right);
  ASSERT_EQ(added.methods.size(), 2u);
  EXPECT_EQ(added.methods[1].method.full_name(), "majority");
  EXPECT_EQ(added.results.size(), 4u) << "results are those of the methods asked for";
  EXPECT_EQ(added.ranking.majority, 1u);
  EXPECT_EQ(json_of(added)["methods"].size(), 2u);
  EXPECT_EQ(json_of(added)["splits"].size(), 4u);
  const Evaluation asked = answered(data, "majority,SK:knn", "halves:4", right);
  ASSERT_EQ(asked.methods.size(), 2u);
  EXPECT_EQ(asked.ranking.majority, 0u);
  EXPECT_EQ(asked.methods[0].accuracies, added.methods[1].accuracies);
  EXPECT_EQ(asked.methods[0].confusion, added.methods[1].confusion);
  EXPECT_TRUE(asked.methods[0].answers_one_class);
  EXPECT_LT(added.methods[1].interval->low, added.methods[1].interval->high) << "accuracies that do not vary";
}

TEST(Answer, SaysWhetherTheBestIsAboveTheRunnerUpAndTheMajority) {
  const Dataset data = of_classes(counted({20, 20}));
  const Evaluation clear = answered(data, "SK:knn,LEK:knn,EUK:knn", "halves:10",
                                    wrong_on(data, {{"SK:knn", 6}, {"LEK:knn", 0}, {"EUK:knn", 8}}));
  EXPECT_EQ(clear.ranking.best, 1u);
  EXPECT_EQ(clear.ranking.runner_up, 0u);
  EXPECT_LT(clear.ranking.over_runner_up->holm_p, 0.05);
  EXPECT_TRUE(answer(clear).starts_with(
      "LEK:knn is best with 100.0 %, significantly above the runner-up, SK:knn (67.5 %, p = "))
      << answer(clear);
  EXPECT_SAYS(answer(clear), " It is significantly above the majority class (50.0 %, p = ");
  EXPECT_EQ(json_of(clear)["ranking"]["best"], "LEK:knn");
  EXPECT_EQ(json_of(clear)["ranking"]["answer"], answer(clear));
  EXPECT_EQ(json_of(clear)["ranking"]["over_runner_up"]["p_holm"], clear.ranking.over_runner_up->holm_p);

  const Evaluation close =
      answered(data, "SK:knn,LEK:knn", "halves:10", wrong_on(data, {{"SK:knn", 2}, {"LEK:knn", 1}}));
  EXPECT_SAYS(answer(answered(data, "SK:knn,LEK:knn", "halves:2", wrong_on(data, {{"SK:knn", 1}, {"LEK:knn", 0}}))),
              "LEK:knn is best with 100.0 %, not significantly above the runner-up, SK:knn (92.5 %, p = ");
  EXPECT_EQ(close.ranking.best, 1u);
  EXPECT_EQ(answer(answered(data, "SK:knn", "halves:1", wrong_on(data, {{"SK:knn", 0}}))),
            "SK:knn has 100.0 %. The majority class has 50.0 %; one split is not enough for a test.");
}

TEST(Answer, WarnsThatTheBestMethodAnswersOneClass) {
  const Dataset data = of_classes(counted({23, 20}));
  const Answering constant = [&](const std::string& method, Index split, Index i) {
    if (method == "SK:svm") return 0;
    if (method == "LEK:svm") return static_cast<int>(split % 2);
    return i % 7 == 0 ? 1 - data.labels()[i] : data.labels()[i];
  };
  const Evaluation won = answered(data, "SK:svm,EUK:svm", "halves:5", constant);
  EXPECT_TRUE(won.methods[0].answers_one_class);
  EXPECT_FALSE(won.methods[1].answers_one_class);
  EXPECT_SAYS(answer(won), "; the runner-up, SK:svm (");
  EXPECT_SAYS(answer(won), "always predicts one class");
  EXPECT_EQ(answer(won).find("significantly above the runner-up"), std::string::npos);
  ASSERT_EQ(won.warnings.size(), 1u);
  EXPECT_SAYS(won.warnings[0], "SK:svm always predicts one class");
  EXPECT_EQ(json_of(won)["methods"][0]["answers_one_class"], true);

  const Evaluation none = answered(data, "SK:svm,LEK:svm", "halves:5", constant);
  EXPECT_TRUE(none.methods[1].answers_one_class) << "one class on each split";
  EXPECT_TRUE(answer(none).starts_with("No method separates the classes: SK:svm (")) << answer(none);
  EXPECT_EQ(none.warnings.size(), 2u);

  const Evaluation worse =
      answered(data, "EUK:svm", "halves:3", [&](const std::string&, Index, Index i) { return 1 - data.labels()[i]; });
  EXPECT_TRUE(answer(worse).starts_with("No method is above the majority class (")) << answer(worse);
  EXPECT_SAYS(answer(answered(data, "majority", "halves:2", [](const std::string&, Index, Index) { return 0; })),
              "there is no other method");
}

TEST(Answer, TestPartsOfOneClassAreNoOneClassAnswers) {
  const std::vector<int> classes{0, 0, 1, 1, 0, 0, 1, 1};
  const Dataset data = of_classes(classes, {0, 0, 1, 1, 2, 2, 3, 3});
  const Evaluation evaluation =
      answered(data, "SK:knn", "logo", [&](const std::string&, Index, Index i) { return data.labels()[i]; });
  EXPECT_FALSE(evaluation.methods[0].answers_one_class);
  EXPECT_TRUE(evaluation.warnings.empty());
}

TEST(OneClass, IsRefusedByEveryMethodAlike) {
  const Dataset data = of_classes(counted({8}));
  const std::string message = "training needs matrices of at least two classes; all 8 are of class '0'";
  for (const std::string method : {"SK:knn", "SK:svm", "SK:mean", "DSK-KA-p:knn", "DSK-CA-s:mean", "DSK-auto:knn",
                                   "MDM", "TS:lr", "TS:svm", "auto", "majority"}) {
    for (const std::string protocol : {"halves:2", "kfold:2", "loo"}) {
      EvaluationOptions options;
      options.methods = {Method::parse(method)};
      options.protocol = Protocol::parse(protocol);
      EXPECT_EQ(message_of([&] { evaluate(data, options); }), message) << method;
    }
    if (method != "majority") {
      EXPECT_EQ(message_of([&] { train(data, {.method = Method::parse(method)}); }), message) << method;
    }
  }
}

}  // namespace
}  // namespace dsk::test
