// Projections, recentring and ranges of theta with every classifier and kernel.

#include <dsk/evaluate.hpp>
#include <dsk/model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "support/made_signals.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(Composition, ProjectsAsAsked) {
  const Dataset data = made_signals({.per_class = 20, .dim = 8});
  const auto trained = [&](const std::string& method, const std::string& project) {
    return train(data, {.method = Method::parse(method), .selection = {.project = Projecting::parse(project)}});
  };
  const auto components = [](const Trained& one, std::size_t member = 0) {
    return std::get<Pipeline>(one.model.model).members().at(member).before.result_dim(8);
  };
  EXPECT_EQ(components(trained("SK:knn", "3")), 3);
  EXPECT_EQ(components(trained("LEK:svm", "2")), 2);
  EXPECT_EQ(components(trained("MDM", "2")), 2);
  const Trained ladder = trained("SK:mean", "ladder");
  EXPECT_EQ(std::get<Pipeline>(ladder.model.model).members().size(), detail::subspace_ladder(8).size());
  EXPECT_EQ(message_of([&] { trained("SK:knn", "9"); }),
            "a projection to 9 components needs matrices of that size or larger, not 8");
  EXPECT_EQ(components(trained("TS:lr", "2")), 2);
  EXPECT_EQ(message_of([&] { trained("SK:knn", "ladder"); }),
            "a ladder of subspaces is for class means by the Stein divergence: choose the classifier mean");
}

TEST(Composition, TriesBothRangesOfThetaForKernelsLearnedByOurCriteria) {
  const Dataset data = made_signals({.per_class = 20, .dim = 30, .samples = 34, .gain = 2.5});
  const auto trained = [&](const std::string& method, ThetaRange range, std::optional<double> penalty) {
    return train(data, {.method = Method::parse(method),
                        .selection = {.folds = 3,
                                      .svm_cs = {1, 100},
                                      .penalty = penalty,
                                      .relative_penalties = {1e-2},
                                      .theta_range = range,
                                      .max_iterations = 5}});
  };
  const Trained both = trained("DSK-CA-a:svm", ThetaRange::automatic, {});
  EXPECT_LT(both.chosen.theta, 0.5);
  EXPECT_GE(both.chosen.validation_accuracy, trained("DSK-CA-a:svm", ThetaRange::valid, {}).chosen.validation_accuracy);
  // With a given penalty theta is the criterion's, for k-NN as well, whose adjustment depends on it.
  for (const std::string method : {"DSK-CA-a:svm", "DSK-CA-a:knn"}) {
    const auto theta = [&](ThetaRange range) { return trained(method, range, 0.1).chosen.comparison.learned->theta(); };
    EXPECT_LT(theta(ThetaRange::automatic), 0.5) << method;
    EXPECT_EQ(theta(ThetaRange::any), theta(ThetaRange::automatic)) << method;
    EXPECT_GE(theta(ThetaRange::valid), 0.5) << method;
  }
  const double of_papers = trained("DSK-KA-p:svm", ThetaRange::automatic, 0.1).chosen.theta;
  EXPECT_TRUE(is_valid_theta(Metric::stein, of_papers, 30)) << of_papers;
}

TEST(Composition, KeepsToValidThetasInEvaluationsOfThePapersMethodsOnly) {
  for (const std::string method : {"SK:svm", "AIRM", "DSK-KA-p:svm", "DSK-CS-a", "DSK-RM-c:svm", "DSK-auto"})
    EXPECT_EQ(detail::selection_for(Method::parse(method), {}).theta_range, ThetaRange::valid) << method;
  for (const std::string method : {"DSK-CA-p:svm", "DSK-NN-a", "DSK-KA-s:svm", "SK:mean", "auto", "TS:lr"})
    EXPECT_EQ(detail::selection_for(Method::parse(method), {}).theta_range, ThetaRange::automatic) << method;
}

TEST(Composition, ProjectsBeforeClassMeansAndTheTangentSpace) {
  const Dataset data = made_signals({.per_class = 24, .dim = 8, .gain = 2.5});
  for (const std::string method : {"MDM", "MDM-logeuclidean", "TS:lr", "TS:svm"})
    for (const std::string project : {"3", "auto", "start"}) {
      SCOPED_TRACE(method + ", " + project);
      const Trained trained =
          train(data, {.method = Method::parse(method), .selection = {.project = Projecting::parse(project)}});
      const CandidateScore& chosen = trained.chosen.candidates.front();
      const std::vector<Projection> found = projections(trained.model.model);
      ASSERT_EQ(found.size(), chosen.components < 8 ? 1u : 0u);
      if (project == "3") {
        EXPECT_EQ(chosen.components, 3);
      }
      EXPECT_EQ(trained.chosen.by_components.size(), project == "3" ? 1u : detail::subspace_ladder(8).size());
      if (found.empty()) continue;
      EXPECT_EQ(found[0].result_dim(), chosen.components);
      EXPECT_SAYS(chosen.name, "component");
      // The same by hand: project, then train.
      const Dataset seen = data.with_matrices(dsk::project(data.matrices(), found[0]));
      const auto& member = std::get<Pipeline>(trained.model.model).members().front();
      EXPECT_EQ(
          predict(trained, data.matrices()).scores,
          predict(std::visit([](const auto& one) { return Model(one); }, member.classifier), seen.matrices()).scores);
      EXPECT_GT(accuracy(predict(trained, data)), 0.8);
    }
}

TEST(Composition, ProjectsBeforeEigenvaluesAreAdjusted) {
  const Dataset data = made_signals({.per_class = 20, .dim = 8, .gain = 2.5});
  const auto options = [](const std::string& method, const std::string& project) {
    return TrainOptions{.method = Method::parse(method),
                        .selection = {.folds = 3,
                                      .relative_penalties = {1e-2, std::numeric_limits<double>::infinity()},
                                      .required_gain_knn = -1e9,
                                      .project = Projecting::parse(project),
                                      .max_iterations = 10}};
  };
  const Trained given = train(data, options("DSK-CA-a", "3"));
  ASSERT_TRUE(given.chosen.comparison.learned);
  const LearnedKernel& kernel = *given.chosen.comparison.learned;
  EXPECT_EQ(kernel.result_dim(), 3);
  const LearnResult expected = fit_kernel(data, {.criterion = Criterion::centred,
                                                 .adjustment = Adjustment::affine,
                                                 .allow_indefinite = true,
                                                 .search_all_thetas = true,
                                                 .penalty = given.chosen.penalty,
                                                 .components = 3,
                                                 .max_iterations = 10});
  EXPECT_EQ(kernel.transform().parameters(), expected.kernel.transform().parameters());
  EXPECT_SAYS(summary(given), "subspace: 3 of 8 components");

  for (const std::string project : {"auto", "start"}) {
    const Trained chosen = train(data, options("DSK-KA-p:svm", project));
    double best = 0;
    for (const CandidateScore& one : chosen.chosen.by_components) {
      best = std::max(best, one.accuracy);
      const std::string size = one.components == 8 ? "none" : std::to_string(one.components);
      if (project == "auto") {
        EXPECT_EQ(train(data, options("DSK-KA-p:svm", size)).chosen.validation_accuracy, one.accuracy) << size;
      }
    }
    EXPECT_EQ(chosen.chosen.by_components.size(), detail::subspace_ladder(8).size());
    EXPECT_EQ(chosen.chosen.validation_accuracy, best);
  }
  // Nothing that costs the held-out folds is learned from them: a plain kernel after the projection is one of the
  // folds'.
  TrainOptions plain = options("DSK-CA-a", "2");
  plain.selection.required_gain_knn = 1e9;
  const ChosenMethod kept = train(data, plain).chosen;
  EXPECT_TRUE(std::isinf(kept.penalty));
  EXPECT_EQ(kept.comparison.learned->result_dim(), 2);
  EXPECT_SAYS(message_of([&] { train(data, options("DSK-CA-a", "ladder")); }),
              "a ladder of subspaces is for class means");
  EXPECT_SAYS(message_of([&] { train(data, options("DSK-RM-p-printed:svm", "auto")); }),
              "the number of components cannot be chosen");
}

TEST(Composition, RecentresBeforeEigenvaluesAreAdjusted) {
  const Dataset data = made_signals({.per_class = 20, .dim = 5, .gain = 2});
  TrainOptions options{.method = Method::parse("DSK-CA-p"),
                       .selection = {.neighbours = {3}, .penalty = 0.01, .recentre = Recentring::all}};
  for (const bool validate : {false, true}) {
    options.validate = validate;
    const Trained trained = train(data, options);
    const SpdBatch moved = recentre_groups(data.matrices(), nullptr);
    const LearnResult expected = fit_kernel(
        data.with_matrices(moved),
        {.criterion = Criterion::centred, .allow_indefinite = true, .search_all_thetas = true, .penalty = 0.01});
    EXPECT_TRUE(
        trained.chosen.comparison.learned->adjustment().alpha.isApprox(expected.kernel.adjustment().alpha, 1e-6));
    EXPECT_TRUE(kernel_matrix(*trained.chosen.comparison.learned, data.matrices())
                    .isApprox(kernel_matrix(expected.kernel, moved), 1e-6));
  }
  options.selection.penalty.reset();
  options.selection.folds = 3;
  options.selection.relative_penalties = {1e-2};
  EXPECT_EQ(train(data, options).chosen.comparison.learned->transform().steps().size(), 2u);
}

}  // namespace
}  // namespace dsk::test
