#include "evaluate/evaluate.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

#include "evaluate/choose.hpp"
#include "files/scratch.hpp"

namespace dsk::test {
namespace {

class KeptSubspace : public Scratch {
 protected:
  static Dataset data() {
    return wishart_classes({.classes = 3, .per_class = 20, .dim = 6, .degrees = 14, .tau = 0.5, .seed = 1});
  }

  static EvaluationOptions options(const std::string& methods, const std::string& project) {
    EvaluationOptions options;
    options.methods = Method::parse_list(methods);
    options.protocol = Protocol::parse("halves:2");
    options.selection.folds = 3;
    options.selection.project = Projecting::parse(project);
    return options;
  }

  static ChosenMethod chosen_on(const Split& split, const EvaluationOptions& with) {
    return choose_settings(data().select(split.train), with.methods.back(), with.selection);
  }
};

/// The projections in front of a classifier, whole matrices left out.
std::vector<Matrix> projections_of(const Model& model) {
  std::vector<Matrix> found;
  for (const Pipeline::Member& member : std::get<Pipeline>(model).members())
    for (const Transform::Step& step : member.before.steps())
      if (const Matrix& w = std::get<Projection>(step).w; w.cols() < w.rows()) found.push_back(w);
  return found;
}

/// Of the values above the diagonal, the upper one of two in the middle.
double median_of_pairs(const Matrix& values) {
  std::vector<double> sorted;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = i + 1; j < values.cols(); ++j) sorted.push_back(values(i, j));
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

TEST_F(KeptSubspace, IsThatOfTheClassifier) {
  for (const auto& [method, project] :
       {std::pair{"DSK-CA-s:mean", "2"}, {"DSK-CS-s:knn", "3"}, {"SK:mean", "ladder"}, {"LEK:svm", "2"}}) {
    SCOPED_TRACE(testing::Message() << method << ", " << project);
    const EvaluationOptions with = options(method, project);
    const Evaluation evaluation = evaluate(data(), with);
    ASSERT_TRUE(evaluation.subspace);
    const Evaluation::Subspace& kept = *evaluation.subspace;
    EXPECT_EQ(kept.method, method);
    EXPECT_EQ(kept.split, 0);
    EXPECT_EQ(kept.chosen, evaluation.results.front().chosen);
    const std::vector<Matrix> learned = projections_of(*chosen_on(evaluation.splits[0], with).model);
    ASSERT_FALSE(learned.empty());
    EXPECT_EQ(kept.projection.w, learned.front());
    std::vector<Index> sizes;
    for (const Matrix& w : learned) sizes.push_back(w.cols());
    EXPECT_EQ(kept.sizes, sizes);
  }
}

TEST_F(KeptSubspace, HasPatternsThatTheComponentsSeeAsOne) {
  const Evaluation evaluation = evaluate(data(), options("DSK-CA-s:mean", "2"));
  const Evaluation::Subspace& kept = *evaluation.subspace;
  const Eigen::MatrixXd w = kept.projection.w, patterns = kept.patterns;
  ASSERT_EQ(patterns.rows(), 6);
  EXPECT_TRUE((w.transpose() * patterns).isIdentity(1e-10));
  // What the components do not explain of the mean is not correlated with them.
  const Dataset train = data().select(evaluation.splits[0].train);
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(6, 6);
  for (Index i = 0; i < train.size(); ++i) mean += Eigen::MatrixXd(train.matrices()[i]);
  mean /= static_cast<double>(train.size());
  EXPECT_LT((mean * w - patterns * (w.transpose() * mean * w)).norm(), 1e-10 * (mean * w).norm());
}

TEST_F(KeptSubspace, ShowsTestMatricesBeforeAndAfter) {
  const Evaluation evaluation = evaluate(data(), options("DSK-CA-s:mean", "2"));
  const Evaluation::Subspace& kept = *evaluation.subspace;
  const Dataset test = data().select(evaluation.splits[0].test);
  std::vector<Index> order(static_cast<std::size_t>(test.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return test.labels()[a] < test.labels()[b]; });
  const Dataset sorted = test.select(order);
  EXPECT_EQ(kept.shown, sorted.labels().codes());
  const double relative = kept.chosen.find("theta 0.15 /") != std::string::npos ? 0.15 : 1;
  const auto expect_components = [&](const Matrix& found, const SpdBatch& x) {
    const Matrix squared = pairwise_squared_distances(Comparison{}, x);
    const double theta = relative / median_of_pairs(squared);
    const Matrix wanted = kernel_principal_components((-theta * squared.array()).exp().matrix(), 2);
    EXPECT_TRUE(found.isApprox(wanted, 1e-9));
  };
  expect_components(kept.whole_components, sorted.matrices());
  expect_components(kept.projected_components, project(sorted.matrices(), kept.projection));
}

TEST_F(KeptSubspace, IsTheSameWhereResultsComeFromAFile) {
  EvaluationOptions with = options("SK:mean", "ladder");
  with.results_file = *this / "r.json";
  const Evaluation first = evaluate(data(), with);
  ASSERT_TRUE(first.subspace);
  with.on_result = [](const SplitResult&) -> bool { throw InvalidInput("computed again"); };
  const Evaluation resumed = evaluate(data(), with);
  ASSERT_TRUE(resumed.subspace);
  EXPECT_EQ(resumed.subspace->projection.w, first.subspace->projection.w);
  EXPECT_EQ(resumed.subspace->projected_components, first.subspace->projected_components);
  EXPECT_EQ(as_json(resumed), as_json(first));

  const auto json = nlohmann::json::parse(get("r.json"));
  const auto& subspace = json.at("subspace");
  EXPECT_EQ(subspace.at("components"), first.subspace->projection.w.cols());
  EXPECT_EQ(subspace.at("w")[5][0], first.subspace->projection.w(5, 0));
  EXPECT_EQ(subspace.at("patterns")[5][0], first.subspace->patterns(5, 0));
  EXPECT_EQ(subspace.at("after")[1][1], first.subspace->projected_components(1, 1));
}

TEST_F(KeptSubspace, IsNotKeptUnlessWantedAndUsed) {
  EvaluationOptions with = options("DSK-CA-s:mean", "2");
  with.keep_kernel = false;
  EXPECT_FALSE(evaluate(data(), with).subspace);
  EXPECT_FALSE(evaluate(data(), options("MDM,TS:lr,SK:knn", "none")).subspace);
  with = options("LEK:mean", "none");
  with.selection.recentre = Recentring::all;  // a projection, but to no subspace
  EXPECT_FALSE(evaluate(data(), with).subspace);
}

TEST_F(KeptSubspace, OfAPlainKernelIsNoAdjustedKernel) {
  const Evaluation evaluation = evaluate(data(), options("SK:knn", "2"));
  EXPECT_TRUE(evaluation.subspace);
  EXPECT_FALSE(evaluation.kernel);
}

TEST_F(KeptSubspace, ComesWithTheScoresOfWhatWasTried) {
  const EvaluationOptions with = options("auto", "none");
  const Evaluation evaluation = evaluate(data(), with);
  for (const SplitResult& result : evaluation.results) {
    const std::vector<CandidateScore> all =
        chosen_on(evaluation.splits[static_cast<std::size_t>(result.split)], with).candidates;
    ASSERT_EQ(result.candidates.size(), 10u);
    EXPECT_EQ(result.candidates.front().name, result.chosen);
    EXPECT_EQ(result.candidates.front().accuracy, result.validation_accuracy);
    std::vector<Index> sizes;
    for (const CandidateScore& one : result.by_components) {
      sizes.push_back(one.components);
      for (const CandidateScore& other : all) {
        const bool comparable = other.components == one.components && other.folds == one.folds;
        EXPECT_TRUE(!comparable || other.accuracy <= one.accuracy) << other.name;
      }
      EXPECT_NEAR(one.standard_error * one.standard_error * 30, one.accuracy * (1 - one.accuracy), 1e-12);
    }
    EXPECT_EQ(sizes, (std::vector<Index>{1, 2, 3, 6}));
  }
}

CandidateScore scored(const std::string& name, double accuracy, Index folds, Index components) {
  return {.name = name, .accuracy = accuracy, .folds = folds, .components = components};
}

std::vector<std::string> names_of(const std::vector<CandidateScore>& candidates) {
  std::vector<std::string> names;
  for (const CandidateScore& one : candidates) names.push_back(one.name);
  return names;
}

TEST(CandidateScores, AreTheBestOfEachKindAndSize) {
  const std::vector<CandidateScore> candidates = {
      scored("s:mean, 2 components, theta 1", 0.8, 5, 2), scored("MDM", 0.9, 5, 0),
      scored("s:svm, 2 components, C 1", 0.85, 5, 2),     scored("s:mean, 2 components, theta 4", 0.7, 5, 2),
      scored("s:mean, 1 components, theta 1", 0.6, 5, 1), scored("s:knn, 1 components", 0.99, 1, 1)};
  EXPECT_EQ(names_of(detail::best_of_each_kind(candidates)),
            (std::vector<std::string>{"s:mean, 2 components, theta 1", "MDM", "s:svm, 2 components, C 1",
                                      "s:mean, 1 components, theta 1", "s:knn, 1 components"}));
  EXPECT_EQ(names_of(detail::best_by_components(candidates)),
            (std::vector<std::string>{"s:mean, 1 components, theta 1", "s:svm, 2 components, C 1"}));
}

}  // namespace
}  // namespace dsk::test
