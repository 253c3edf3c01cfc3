#include <dsk/evaluate.hpp>
#include <dsk/train.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/engine.hpp"
#include "evaluate/choose.hpp"
#include "support/made_team.hpp"
#include "support/message.hpp"
#include "support/threads_started.hpp"

namespace dsk::test {
namespace {

Dataset trainable_classes(std::uint64_t seed = 0) {
  return wishart_classes({.classes = 3, .per_class = 15, .dim = 3, .degrees = 15, .tau = 0.9, .seed = seed});
}

TrainOptions train_options(const std::string& method) {
  TrainOptions options;
  options.method = Method::parse(method);
  options.selection.folds = 3;
  options.selection.relative_penalties = {1e-2, std::numeric_limits<double>::infinity()};
  return options;
}

TEST(Train, TrainsWhatCrossValidationChose) {
  const Dataset data = trainable_classes(), test = trainable_classes(1);
  for (const std::string method : {"SK:knn", "LEK:svm", "PEK:knn", "DSK-CA-a:knn", "DSK-CA-a:svm", "DSK-auto:knn"}) {
    SCOPED_TRACE(method);
    const TrainOptions options = train_options(method);
    const Trained trained = train(data, options);
    const ChosenMethod chosen = choose_settings(data, options.method, options.selection);
    EXPECT_EQ(trained.chosen.method.full_name(), chosen.method.full_name());
    EXPECT_EQ(trained.chosen.neighbours_or_c, chosen.neighbours_or_c);
    EXPECT_EQ(trained.chosen.validation_accuracy, chosen.validation_accuracy);
    EXPECT_TRUE(trained.validated);
    const Prediction predicted = predict(trained, test);
    EXPECT_EQ(predicted.labels.codes(), predict_classes(chosen, data, test.matrices()));
    EXPECT_EQ(accuracy(predicted), accuracy(predicted.labels, test.labels()));
    EXPECT_EQ(trained.kernel.has_value(), chosen.method.learning.has_value());
    if (trained.kernel) {
      EXPECT_EQ(trained.kernel->origin.penalty, chosen.penalty);
    }
    EXPECT_EQ(trained.model.origin.samples, data.size());
    EXPECT_SAYS(summary(trained), chosen.method.full_name());
    EXPECT_SAYS(summary(trained), "cross-validated accuracy");
  }
}

TEST(TrainDeathTest, KeepsToItsThreads) {
  for (const std::string method : {"SK:svm", "SK:mean"})
    for (const int threads : {1, 2})
      expect_threads_started(threads - 1, [&] {
        const Dataset data = wishart_classes({.classes = 2, .per_class = 160, .dim = 12, .degrees = 30});
        TrainOptions options = train_options(method);
        options.selection.theta = 1;
        options.selection.svm_cs = {1};
        options.selection.project = Projecting::parse(method == "SK:mean" ? "10" : "none");
        options.selection.pairs.threads = threads;
        options.validate = false;
        train(data, options);
      });
}

TEST(Train, ChoosesAmongPlainAndLearnedKernelsByDefault) {
  const Trained trained = train(trainable_classes());
  EXPECT_FALSE(trained.chosen.method.automatic);
  EXPECT_GT(accuracy(predict(trained, trainable_classes(1))), 0.6);
}

TEST(Train, DoesNotValidateGivenSettingsUnlessAskedTo) {
  const Dataset data = trainable_classes();
  TrainOptions options = train_options("SK:svm");
  options.selection.svm_cs = {7};
  options.selection.theta = 2;
  options.validate = true;
  EXPECT_TRUE(train(data, options).validated);
  options.validate = false;
  const Trained trained = train(data, options);
  EXPECT_FALSE(trained.validated);
  EXPECT_EQ(std::get<SvmClassifier>(trained.model.model).training().c, 7);
  EXPECT_EQ(std::get<SvmClassifier>(trained.model.model).theta(), 2);
  EXPECT_EQ(summary(trained).find("cross-validated"), std::string::npos);
  options.selection.svm_cs = {7, 8};
  EXPECT_TRUE(train(data, options).validated);
}

TEST(Train, UsesAGivenKernelAsItIs) {
  const Dataset data = trainable_classes();
  const LearnedKernel kernel = fit_kernel(data, {.theta = 2, .penalty = 0.1}).kernel;
  for (const std::string method : {"SK:knn", "SK:svm"}) {
    TrainOptions options = train_options(method);
    options.kernel = kernel;
    const Trained trained = train(data, options);
    EXPECT_EQ(comparison(trained.model.model).learned->adjustment().alpha, kernel.adjustment().alpha);
    EXPECT_FALSE(trained.kernel) << "it was not learned here";
  }
}

TEST(Train, ApproximatesTheKernelOnLandmarks) {
  const Dataset data = wishart_classes({.classes = 3, .per_class = 100, .dim = 3, .degrees = 15, .tau = 0.9});
  for (const std::string method : {"SK:knn", "SK:svm"}) {
    TrainOptions options = train_options(method);
    options.nystrom = NystromOptions{.landmarks = 40};
    options.choose_on = 90;
    const Trained trained = train(data, options);
    EXPECT_EQ(trained.chosen_on, 90);
    ASSERT_TRUE(trained.model.origin.approximation);
    EXPECT_EQ(trained.model.origin.approximation->landmarks, 40);
    EXPECT_EQ(trained.model.origin.approximation->chosen_on, 90);
    ASSERT_TRUE(trained.nystrom && trained.nystrom->check);
    EXPECT_GT(trained.nystrom->check->agreement, 0.8);
    options.check_nystrom = false;
    EXPECT_FALSE(train(data, options).nystrom->check);
  }
}

TEST(Train, ApproximatesOnlyPositiveDefiniteKernels) {
  // Of this size all valid thetas are too large, and without landmarks a smaller one is chosen.
  const Dataset data = wishart_classes({.classes = 2, .per_class = 30, .dim = 40, .degrees = 60, .tau = 0.3});
  TrainOptions options = train_options("SK:svm");
  ASSERT_LT(train(data, options).chosen.theta, 0.5);
  options.nystrom = NystromOptions{.landmarks = 20};
  options.check_nystrom = false;
  EXPECT_TRUE(is_valid_theta(Metric::stein, train(data, options).chosen.theta, data.dim()));
}

TEST(Train, RefusesOptionsThatDoNotGoTogether) {
  const Dataset data = trainable_classes();
  const auto says = [&](const TrainOptions& options) { return message_of([&] { train(data, options); }); };
  TrainOptions options = train_options("SK:knn");
  options.probabilities = true;
  EXPECT_EQ(says(options), "probabilities, class weights and margins are for the SVM");
  options = train_options("SK:knn");
  options.selection.svm.balanced = true;
  EXPECT_EQ(says(options), "probabilities, class weights and margins are for the SVM");
  options = train_options("AIRM");
  options.method.classifier = Classifier::svm;
  EXPECT_EQ(says(options), "airm has no positive definite kernel; use it with k-NN");
  options = train_options("EUK");
  options.method.learning = Method::Learning{};
  EXPECT_SAYS(says(options), "kernels by the metric euclidean cannot be learned; use one of cholesky");
  for (const std::string method : {"auto", "MDM", "SK:mean"}) {
    options = train_options(method);
    options.nystrom = NystromOptions{.landmarks = 20};
    EXPECT_SAYS(says(options), "an approximation is for k-NN or the SVM");
  }
  EXPECT_SAYS(message_of([&] { train(Dataset(data.matrices()), train_options("SK")); }), "has no labels");
  EXPECT_SAYS(message_of([&] { accuracy(predict(train(data, train_options("SK")), Dataset(data.matrices()))); }),
              "no labels to compare");
}

TEST(TrainOptions, WhatIsLeftOpenFollowsFromTheSettings) {
  const auto name_of = [](const MethodParts& parts, const SelectionOptions& selection = {}) {
    return complete(parts, {.selection = selection}).full_name();
  };
  EXPECT_EQ(name_of({}), "auto");
  EXPECT_EQ(name_of({}, {.neighbours = {3}}), "SK:knn");
  EXPECT_EQ(name_of({}, {.svm_cs = {10}}), "SK:svm");
  EXPECT_EQ(name_of({}, {.neighbours = {3}, .svm_cs = {10}}), "SK:knn");
  EXPECT_EQ(name_of({}, {.theta = 2}), "SK:svm");
  EXPECT_EQ(name_of({}, {.zetas = {0.3}}), "SK:knn");
  EXPECT_EQ(name_of({}, {.svm = {.balanced = true}}), "SK:svm");
  EXPECT_EQ(name_of({.learning = Method::Learning{}}, {.theta = 2}), "DSK-KA-p:knn");
  EXPECT_EQ(name_of({.metric = Metric::euclidean}), "EUK:knn");
  EXPECT_EQ(name_of({.classifier = Classifier::mdm}), "MDM");
  EXPECT_EQ(name_of({.classifier = Classifier::mdm, .metric = Metric::stein}), "MDM-stein");
  EXPECT_EQ(name_of({.combined = true}), "MK:svm");
  EXPECT_EQ(name_of({.given_kernel = true}), "SK:knn");
  EXPECT_EQ(complete({}, {.probabilities = true}).full_name(), "SK:svm");
  EXPECT_EQ(complete({}, {.selection = {.svm_cs = {1}}, .nystrom = NystromOptions{}}).full_name(), "SK:knn");
}

TEST(TrainOptions, WhatDoesNotGoTogetherIsRefusedBeforeTheDataAreSeen) {
  const auto says = [](const TrainOptions& options) { return message_of([&] { check_options(options); }); };
  EXPECT_EQ(says({}), "");
  EXPECT_EQ(says({.method = {.metric = Metric::thompson, .classifier = Classifier::mdm}}),
            "the metric thompson has no mean; use it with k-NN");
  EXPECT_EQ(says({.method = {.combining = Method::Combining::chosen}}), "a combined kernel is for the SVM");
  TrainOptions options{.method = Method::parse("MK:svm"), .nystrom = NystromOptions{}};
  EXPECT_EQ(says(options), "an approximation cannot be used with a combined kernel; use a single kernel");
  options.method = Method::parse("SK:svm");
  EXPECT_EQ(says(options), "");
  options.selection.theta_range = ThetaRange::any;
  EXPECT_EQ(says(options),
            "an approximation needs a positive definite kernel, which the theta range any does not guarantee");
}

TEST(Predict, RanksPredictTheirRowsAndRankZeroHasAll) {
  const Dataset data = trainable_classes(), test = trainable_classes(1);
  const Model model = train(data, train_options("SK:knn")).model.model;
  const Prediction whole = predict(model, test);
  as_team(3, [&](const Team& team) {
    const RowRange rows = share_of_rows(test.size(), team.rank(), team.size());
    std::vector<Index> mine;
    for (Index i = rows.first; i < rows.last; ++i) mine.push_back(i);
    const std::optional<Prediction> found = predict(model, {test.select(mine), rows}, {.team = &team});
    ASSERT_EQ(found.has_value(), team.rank() == 0);
    if (!found) return;
    EXPECT_EQ(found->labels.codes(), whole.labels.codes());
    EXPECT_EQ(found->scores, whole.scores);
    EXPECT_EQ(found->accuracy, whole.accuracy);
  });
}

/// Labels and groups by name, with matrices of size 2.
Dataset grouped(const std::vector<std::string>& labels, const std::vector<std::string>& groups) {
  return Dataset(random_spd({.count = static_cast<Index>(labels.size()), .dim = 2}), Labels(labels), Labels(groups));
}

TEST(Groups, ClassesInOneGroupEachLeaveNothingToValidate) {
  const Dataset data = grouped({"a", "a", "b", "b", "c", "c"}, {"1", "1", "2", "2", "3", "3"});
  const std::string expected =
      "each class lies in a single group ('a', 'b', 'c'): groups are kept together, so that no class can be both "
      "learned and tested; ignore the groups";
  EXPECT_THROW(train(data, train_options("SK")), ClassesInOneGroup);
  EXPECT_EQ(message_of([&] { train(data, train_options("SK")); }), expected);
  EXPECT_EQ(message_of([&] { learn(data, {}); }), expected);
  EXPECT_TRUE(train(data.without_groups(), train_options("SK")).warnings.empty());
  EXPECT_EQ(learn(data, {.penalty = 1}).kernel.kernel.dim(), 2) << "nothing is cross-validated";
}

TEST(Train, GivenSettingsNeedNoCrossValidation) {
  const Dataset two = wishart_classes({.classes = 2, .per_class = 1, .dim = 3, .degrees = 15, .tau = 0.9});
  TrainOptions options = train_options("SK:knn");
  options.selection.neighbours = {1};
  EXPECT_EQ(accuracy(predict(train(two, options), two)), 1);
  options = train_options("SK:svm");
  options.selection.svm_cs = {1};
  options.selection.theta = 2;
  EXPECT_EQ(accuracy(predict(train(two, options), two)), 1);
}

TEST(Train, GivenPenaltyAndSettingsNeedNoCrossValidation) {
  const Dataset data = trainable_classes();
  for (const std::string method : {"DSK-CA-a:knn", "DSK-CA-a:svm"}) {
    TrainOptions options = train_options(method);
    options.selection.penalty = 0.5;
    options.selection.neighbours = {3};
    options.selection.svm_cs = {10};
    const Trained given = train(data, options);
    EXPECT_FALSE(given.validated);
    options.validate = true;
    const Trained validated = train(data, options);
    EXPECT_TRUE(validated.validated);
    EXPECT_EQ(given.chosen.theta, validated.chosen.theta);
    EXPECT_EQ(given.chosen.comparison.learned->adjustment().alpha,
              validated.chosen.comparison.learned->adjustment().alpha);
    EXPECT_EQ(predict(given, data).labels.codes(), predict(validated, data).labels.codes());
    EXPECT_EQ(given.kernel->origin.penalty, 0.5);
  }
}

TEST(Train, MajorityCountsWeights) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = 3, .dim = 2});
  std::vector<double> weights(6, 1.0);
  for (Index i = 0; i < 6; ++i)
    if (data.labels()[i] == 1) weights[static_cast<std::size_t>(i)] = 5;
  const Dataset weighted(data.matrices(), data.labels(), {}, weights);
  const Evaluation found = evaluate(weighted, {.methods = {"majority"}, .protocol = {Protocol::Kind::halves, 2}});
  for (const SplitResult& result : found.results)
    for (const int code : result.predicted) EXPECT_EQ(code, 1);
}

}  // namespace
}  // namespace dsk::test
