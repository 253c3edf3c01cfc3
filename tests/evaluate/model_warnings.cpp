#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "classify/classify.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "support/made_classes.hpp"
#include "support/made_signals.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

/// The only warning of a model.
std::string warning_of(const Model& model, const Dataset& train) {
  const std::vector<std::string> found = detail::model_warnings(model, train, 1);
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? "" : found.front();
}

SvmClassifier svm(const Dataset& train, double theta) {
  return train_svm(Comparison{}, train, {.theta = theta, .allow_indefinite = true});
}

TEST(ModelWarnings, NameTheMembersOfAnAverage) {
  const Dataset train = made_classes({.sizes = {12, 12}, .dim = 4});
  const MeanClassifier good = train_mean(Comparison{}, train, {.theta = 1});
  EXPECT_TRUE(detail::model_warnings(good, train, 1).empty());
  EXPECT_TRUE(
      detail::model_warnings(Pipeline({{Transform(), good}, {Transform(), train_mdm(train)}}), train, 1).empty());

  EXPECT_TRUE(warning_of(svm(train, 1e4), train).starts_with("the kernel matrix is nearly the identity"));
  EXPECT_TRUE(warning_of(Pipeline({{Transform(), svm(train, 1e4)}}), train).starts_with("the kernel matrix is nearly"));
  const Pipeline two({{Transform(), good}, {Transform(), svm(train, 1e4)}});
  EXPECT_SAYS(
      warning_of(two, train),
      "svm on 4 x 4 matrices, one of 2 classifiers that are averaged: the kernel matrix is nearly the identity");
  // As the members see the matrices.
  const Transform small(Projection{Matrix::Identity(4, 2)});
  const Dataset seen = train.with_matrices(small.apply(train.matrices()));
  const Pipeline three({{Transform(), good}, {small, svm(seen, 1e4)}, {Transform(), svm(train, 2e4)}});
  EXPECT_SAYS(warning_of(three, train), "svm on 2 x 2 matrices, one of 3 classifiers");
  EXPECT_SAYS(warning_of(three, train), "(the same for 1 other)");
  const Pipeline both(
      {{Transform(), svm(train, 1e4)}, {Transform(), train_mean(Comparison{}, train, {.theta = 1e-6})}});
  const std::vector<std::string> found = detail::model_warnings(both, train, 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_SAYS(found[0], "nearly the identity");
  EXPECT_SAYS(found[1],
              "mean on 4 x 4 matrices, one of 2 classifiers that are averaged: the kernel matrix is nearly "
              "constant");
}

TEST(ModelWarnings, TellThatAKernelWasClipped) {
  const Dataset train(random_spd({.count = 60, .dim = 3, .condition = 1e6}),
                      made_classes({.sizes = {30, 30}}).labels());
  const auto with = [&](double theta) {
    return train_svm(Comparison{.metric = Metric::airm}, train, {.theta = theta, .c = 10, .allow_indefinite = true});
  };
  double theta = 1e-6;
  while (*with(theta).smallest_eigenvalue() > -0.05 && theta < 0.1) theta *= 1.5;
  const SvmClassifier clipped = with(theta);
  ASSERT_LT(*clipped.smallest_eigenvalue(), -0.05);
  EXPECT_SAYS(warning_of(clipped, train),
              "the kernel matrix of the training set is far from positive definite (its smallest");
  EXPECT_SAYS(warning_of(clipped, train), "keep to valid thetas");
  const Pipeline average({{Transform(), clipped}, {Transform(), train_mdm(train)}});
  EXPECT_SAYS(warning_of(average, train),
              "svm on 3 x 3 matrices, one of 2 classifiers that are averaged: the kernel matrix of the training set");
  EXPECT_SAYS(detail::clipping_note(clipped, train.size()), "the kernel matrix of the SVM was not positive definite");
  EXPECT_SAYS(detail::clipping_note(average, train.size()), "kernel matrices of 1 SVM were not positive definite");
}

TEST(ModelWarnings, MentionHardlyClippedKernelsInTheSummaryOnly) {
  const Dataset train(random_spd({.count = 60, .dim = 3, .condition = 1e6}),
                      made_classes({.sizes = {30, 30}}).labels());
  double theta = 1e-6;
  const auto with = [&] {
    return train_svm(Comparison{.metric = Metric::airm}, train, {.theta = theta, .c = 10, .allow_indefinite = true});
  };
  while (*with().smallest_eigenvalue() > -1e-3 && theta < 0.1) theta *= 1.5;
  const SvmClassifier clipped = with();
  ASSERT_LT(*clipped.smallest_eigenvalue(), 0);
  ASSERT_GT(*clipped.smallest_eigenvalue(), -0.05);
  for (const std::string& sentence : detail::model_warnings(clipped, train, 1))
    EXPECT_EQ(sentence.find("positive definite"), std::string::npos) << sentence;
  EXPECT_SAYS(detail::clipping_note(clipped, train.size()), "smallest eigenvalue -0.0");
  EXPECT_EQ(detail::clipping_note(Model(train_mdm(train)), train.size()), "");
}

TEST(ModelWarnings, TellThatMeansDidNotConverge) {
  const Dataset train = made_classes({.sizes = {9, 8}});
  const MdmClassifier hasty = train_mdm(train, {.max_iterations = 2});
  EXPECT_SAYS(warning_of(hasty, train), "a class mean did not converge within the limit of iterations");
  EXPECT_SAYS(warning_of(Pipeline({{Transform(), hasty}, {Transform(), train_mdm(train)}}), train),
              "mdm on 3 x 3 matrices, one of 2 classifiers that are averaged: a class mean did not converge");
  detail::TangentParts parts = detail::parts_of(train_logistic(train));
  EXPECT_EQ(parts.stop, Mean::Stop::converged);
  parts.stop = Mean::Stop::iteration_limit;
  EXPECT_SAYS(warning_of(detail::classifier_of(parts), train),
              "the mean that the tangent space is at did not converge");
  EXPECT_TRUE(detail::mean_warnings("the mean", Mean::Stop::converged).empty());
  EXPECT_TRUE(detail::mean_warnings("the mean", {}).empty());

  ChosenMethod chosen;
  chosen.fit.emplace().mean_stop = Mean::Stop::iteration_limit;
  const KnnClassifier knn = train_knn(Comparison{}, train);
  EXPECT_SAYS(detail::training_warnings(chosen, knn, train, 1).at(0),
              "the mean by which matrices are recentred did not");
  chosen.model = std::make_shared<const Model>(knn);
  EXPECT_TRUE(detail::training_warnings(chosen, knn, train, 1).empty());
  chosen.mean_stop = Mean::Stop::iteration_limit;
  EXPECT_EQ(detail::training_warnings(chosen, knn, train, 1).size(), 1u);
}

/// An evaluation starts with this warning, which the results file and the report show.
TEST(ModelWarnings, TellThatMeansOfGroupsDidNotConverge) {
  const Dataset drawn = made_classes({.sizes = {9, 9}});
  std::vector<std::string> names;
  for (Index i = 0; i < drawn.size(); ++i) names.push_back(std::to_string(i % 3));
  const Dataset data(drawn.matrices(), drawn.labels(), Labels(names));
  Mean::Stop stop = Mean::Stop::iteration_limit;
  (void)detail::evaluated_data(data, Recentring::none, 1, &stop);
  EXPECT_EQ(stop, Mean::Stop::closed_form);
  const Dataset moved = detail::evaluated_data(data, Recentring::groups, 1, &stop);
  EXPECT_EQ(stop, Mean::Stop::converged);

  const EvaluationOptions options{
      .methods = {"MDM"}, .protocol = random_halves(2), .selection = {.recentre = Recentring::groups}};
  EXPECT_TRUE(detail::evaluation_before_results(moved, options, stop).warnings.empty());
  Evaluation evaluation = detail::evaluation_before_results(moved, options, Mean::Stop::iteration_limit);
  ASSERT_EQ(evaluation.warnings.size(), 1u);
  EXPECT_SAYS(evaluation.warnings[0], "a mean by which groups are recentred did not converge within the limit");
  evaluation.results = evaluate(data, options).results;
  detail::summarise_methods(moved, options.methods, evaluation);
  EXPECT_SAYS(evaluation.warnings.at(0), "a mean by which groups are recentred did not converge");
}

TEST(ModelWarnings, AreAmongThoseOfAnEvaluationAndInItsResults) {
  // 30 channels: for every valid theta the kernel matrix is nearly the identity.
  const Dataset data = made_signals({.per_class = 20, .dim = 30, .samples = 34, .gain = 2.5});
  const Evaluation evaluation = evaluate(
      data,
      {.methods = {"SK:svm", "MDM"}, .protocol = random_halves(3), .selection = {.theta_range = ThetaRange::valid}});
  ASSERT_FALSE(evaluation.warnings.empty());
  EXPECT_SAYS(evaluation.warnings.back(), "SK:svm: the kernel matrix is nearly the identity");
  EXPECT_SAYS(evaluation.warnings.back(), "(split 1; 2 other splits have warnings too)");
  EXPECT_SAYS(as_json(evaluation), "nearly the identity");
}

}  // namespace
}  // namespace dsk::test
