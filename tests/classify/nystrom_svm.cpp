#include <dsk/classify.hpp>
#include <dsk/kernel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "classify/classify.hpp"
#include "classify/dual_descent.hpp"
#include "files/scratch.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/oracle.hpp"
#include "support/python.hpp"
#include "support/simd_targets.hpp"
#include "support/some_kernel.hpp"

namespace dsk::test {
namespace {

Dataset three_classes(std::uint64_t seed = 0) {
  return made_classes({.sizes = {60, 50, 40}, .seed = seed});
}

/// Features of two overlapping classes in single precision, with a sign for each class.
struct DescentCase {
  explicit DescentCase(Index dim = 20) : rows(90, dim) {
    const Dataset data = made_classes({.sizes = {50, 40}});
    rows.set(0, fit_nystrom(Comparison{}, data, {.landmarks = dim, .theta = 2}).map.features(data.matrices()));
    members.resize(90);
    std::iota(members.begin(), members.end(), 0);
    for (const int code : data.labels().codes()) signs.push_back(code == 0 ? 1 : -1);
  }

  Real cost(std::size_t i, const MarginBounds& costs) const { return signs[i] > 0 ? costs.positive : costs.negative; }

  Real margin(std::size_t i, const detail::DescentResult& found) const {
    Real sum = found.offset;
    for (Index k = 0; k < rows.dim(); ++k) sum += static_cast<Real>(rows[members[i]][k]) * found.weights[k];
    return signs[i] * sum;
  }

  detail::SingleRows rows;
  std::vector<Index> members;
  std::vector<int> signs;
};

TEST(DualDescent, ClosesTheDualityGap) {
  const DescentCase example;
  for (const bool squared : {false, true})
    for (const MarginBounds costs : {MarginBounds{0.1, 0.1}, {1, 1}, {10, 10}, {0.5, 5}}) {
      const detail::DescentProblem problem{
          .rows = example.rows, .members = example.members, .signs = example.signs, .costs = costs, .squared = squared};
      const detail::DescentResult found = detail::descend(problem, {.tolerance = 1e-7, .max_passes = 1'000'000});
      ASSERT_TRUE(found.converged);
      Real primal = found.offset * found.offset / 2, dual = -primal;
      for (const double weight : found.weights) primal += weight * weight / 2, dual -= weight * weight / 2;
      std::vector<Real> combined(static_cast<std::size_t>(example.rows.dim()), 0);
      Real offset = 0;
      for (std::size_t i = 0; i < example.signs.size(); ++i) {
        const Real cost = example.cost(i, costs), eta = found.eta[static_cast<Index>(i)];
        const Real slack = std::max<Real>(0, 1 - example.margin(i, found));
        primal += squared ? cost * slack * slack / 2 : cost * slack;
        dual += squared ? eta - eta * eta / (2 * cost) : eta;
        EXPECT_GE(eta, 0);
        EXPECT_LE(eta, squared ? std::numeric_limits<Real>::infinity() : cost);
        offset += example.signs[i] * eta;
        for (std::size_t k = 0; k < combined.size(); ++k)
          combined[k] += example.signs[i] * eta * static_cast<Real>(example.rows[example.members[i]][k]);
      }
      EXPECT_NEAR(static_cast<double>(offset), found.offset, 1e-9);
      for (std::size_t k = 0; k < combined.size(); ++k)
        EXPECT_NEAR(static_cast<double>(combined[k]), found.weights[static_cast<Index>(k)], 1e-9);
      EXPECT_NEAR(static_cast<double>(primal), static_cast<double>(dual), 1e-5 * static_cast<double>(primal))
          << squared << ", " << costs.positive;
    }
}

TEST(DualDescent, ReportsThatThePassLimitWasReached) {
  const DescentCase example;
  const detail::DescentProblem problem{
      .rows = example.rows, .members = example.members, .signs = example.signs, .costs = {1e6, 1e6}};
  const detail::DescentResult found = detail::descend(problem, {.tolerance = 1e-12, .max_passes = 3});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.passes, 3);
  EXPECT_TRUE(found.weights.allFinite());
}

TEST(RowLanes, MatchTheScalarProductsOnEveryTarget) {
  const DescentCase example(21);
  const Index padded = example.rows.padded();
  EXPECT_EQ(padded % detail::row_padding, 0);
  on_every_target([&] {
    detail::AlignedArray<double> weights(padded);
    for (Index k = 0; k < padded; ++k) weights[k] = std::sin(static_cast<double>(k + 1));
    for (const Index i : {0, 1, 89}) {
      Real expected = 0;
      for (Index k = 0; k < 21; ++k) expected += static_cast<Real>(example.rows[i][k]) * weights[k];
      EXPECT_NEAR(detail::dot_row(example.rows[i], weights.data(), padded), static_cast<double>(expected), 1e-14);
    }
    detail::add_row(-0.5, example.rows[3], weights.data(), padded);
    for (Index k = 0; k < padded; ++k) {
      const double added = k < 21 ? -0.5 * static_cast<double>(example.rows[3][k]) : 0;
      EXPECT_NEAR(weights[k], std::sin(static_cast<double>(k + 1)) + added, 1e-15);
    }
  });
}

class Liblinear : public Scratch {};

TEST_F(Liblinear, FindsTheSameDecisionValues) {
  if (run_python(DSK_PYTHON, "import sklearn") != 0) GTEST_SKIP() << "no Python with scikit-learn";
  const DescentCase example;
  Matrix features(90, 20), signs(90, 1), decisions(90, 4);
  for (Index i = 0; i < 90; ++i) {
    for (Index k = 0; k < 20; ++k) features(i, k) = static_cast<double>(example.rows[i][k]);
    signs(i, 0) = example.signs[static_cast<std::size_t>(i)];
  }
  Index column = 0;
  for (const bool squared : {false, true})
    for (const double c : {0.5, 5.0}) {
      const detail::DescentProblem problem{.rows = example.rows,
                                           .members = example.members,
                                           .signs = example.signs,
                                           .costs = {c, c},
                                           .squared = squared};
      const detail::DescentResult found = detail::descend(problem, {.tolerance = 1e-7, .max_passes = 1'000'000});
      for (Index i = 0; i < 90; ++i)
        decisions(i, column) = features.row(i).dot(found.weights.transpose()) + found.offset;
      ++column;
    }
  save(features, *this / "features.npy");
  save(signs, *this / "signs.npy");
  save(decisions, *this / "decisions.npy");
  EXPECT_EQ(run_python(DSK_PYTHON, R"(
import sys, numpy
from sklearn.svm import LinearSVC
features, signs, decisions = (numpy.load(f"{sys.argv[1]}/{name}.npy") for name in ("features", "signs", "decisions"))
cases = [("hinge", 0.5), ("hinge", 5), ("squared_hinge", 0.25), ("squared_hinge", 2.5)]
for column, (loss, c) in enumerate(cases):
    svc = LinearSVC(loss=loss, C=c, dual=True, tol=1e-8, max_iter=1000000, random_state=0).fit(features, signs.ravel())
    difference = abs(svc.decision_function(features) - decisions[:, column]).max()
    assert difference < 1e-4, (loss, c, difference)
)",
                       folder().string()),
            0);
}

TEST(NystromSvm, WithAllLandmarksAgreesWithTheExactMachine) {
  const Dataset train = three_classes(), test = three_classes(1);
  const std::vector<Comparison> comparisons{Comparison{}, Comparison{.metric = Metric::logeuclidean},
                                            Comparison{.learned = some_kernel(3)}};
  for (const Comparison& comparison : comparisons)
    for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared}) {
      const SvmTraining options{.theta = 2, .c = 3, .margin = margin, .balanced = true};
      const NystromMap map = fit_nystrom(comparison, train, {.landmarks = 150, .theta = 2}).map;
      const NystromSvm found = train_nystrom_svm(map, train, options);
      EXPECT_EQ(found.unfinished, 0);
      EXPECT_LT(found.residual_share, 1e-9);
      const SvmClassifier exact = train_svm(comparison, train, options);
      EXPECT_GE(accuracy(predict(found.classifier, test.matrices()).labels, predict(exact, test.matrices()).labels),
                0.97);
      EXPECT_EQ(found.classifier.training().class_weights, exact.training().class_weights);
    }
}

TEST(NystromSvm, FewLandmarksComeCloseToTheExactMachine) {
  const Dataset train = made_classes({.sizes = {300, 300, 300}}),
                test = made_classes({.sizes = {200, 200, 200}, .seed = 1});
  const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 100, .theta = 2}).map;
  const NystromSvm found = train_nystrom_svm(map, train, {.c = 10});
  EXPECT_EQ(found.classifier.support().size(), 100);
  EXPECT_NEAR(accuracy(found.classifier, test), accuracy(train_svm(Comparison{}, train, {.theta = 2, .c = 10}), test),
              0.02);
}

TEST(NystromSvm, DecisionValuesAreLinearInTheFeatures) {
  const Dataset train = three_classes(), test = three_classes(1);
  const NystromMap map = fit_nystrom(some_kernel(3), train, {.landmarks = 12}).map;
  const SvmClassifier found = train_nystrom_svm(map, train).classifier;
  // w = L' beta, since beta = L'^-1 w.
  const Matrix weights = map.factor().transpose() * Matrix(detail::parts_of(found).machine.coefficients());
  const Matrix expected =
      (map.features(test.matrices()) * weights).rowwise() + detail::parts_of(found).machine.offsets();
  EXPECT_LT((decision_values(found, test.matrices()) - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(NystromSvm, IsTheSameForAnyNumberOfThreads) {
  const Dataset train = made_classes({.sizes = {400, 300, 200}, .dim = 4}), test = three_classes(1);
  const auto trained = [&](int threads) {
    const PairOptions pairs{.threads = threads};
    const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 50, .pairs = pairs}).map;
    return train_nystrom_svm(map, train, {.seed = 3, .pairs = pairs});
  };
  const NystromSvm one = trained(1);
  for (const int threads : {2, 3}) {
    const NystromSvm other = trained(threads);
    EXPECT_EQ(Matrix(detail::parts_of(other.classifier).machine.coefficients()),
              Matrix(detail::parts_of(one.classifier).machine.coefficients()));
    EXPECT_EQ(detail::parts_of(other.classifier).machine.offsets(), detail::parts_of(one.classifier).machine.offsets());
    EXPECT_EQ(other.residual_share, one.residual_share);
  }
}

TEST(NystromSvm, KnowsClassesWithoutALandmarkOrWithOneMember) {
  const Dataset train = made_classes({.sizes = {30, 1, 20}});
  const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 1}).map;
  const SvmClassifier found = train_nystrom_svm(map, train, {.c = 10, .balanced = true}).classifier;
  EXPECT_EQ(found.support().size(), 3);
  EXPECT_EQ(detail::parts_of(found).machine.classes(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(predict(found, train.matrices()).labels.names().size(), 3u);
  const NystromMap whole = fit_nystrom(Comparison{}, train, {.landmarks = 51, .theta = 20}).map;
  EXPECT_EQ(accuracy(train_nystrom_svm(whole, train, {.c = 1000}).classifier, train), 1);
}

TEST(NystromSvm, RefusesBadInput) {
  const Dataset train = three_classes();
  const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 5, .theta = 2}).map;
  const auto says = [&](const SvmTraining& options) {
    return message_of([&] { train_nystrom_svm(map, train, options); });
  };
  EXPECT_EQ(says({.theta = 2}), "");
  EXPECT_EQ(says({.theta = 3}), "theta 3 differs from the theta of the features, 2");
  EXPECT_EQ(says({.c = 0}), "C 0 must be finite and above 0");
  EXPECT_EQ(says({.class_weights = {1, 2}}), "2 class weights do not match 3 classes");
  EXPECT_NE(says({.class_weights = {1, -2, 1}}).find("class weight 1 is -2"), std::string::npos);
  EXPECT_EQ(says({.probabilities = true}), "probabilities are not supported with Nystrom features");
  const NystromMap bare = fit_nystrom(Comparison{}, Dataset(train.matrices()), {.landmarks = 5}).map;
  EXPECT_EQ(message_of([&] { train_nystrom_svm(bare, train); }), "the data set of 5 matrices has no labels");
  EXPECT_EQ(message_of([&] { train_nystrom_svm(map, Dataset(train.matrices())); }),
            "the data set of 150 matrices has no labels");
  EXPECT_EQ(message_of([&] {
              train_nystrom_svm(map, made_classes({.sizes = {5, 5}}));
            }),
            "the class names of the landmarks differ from those of the training set");
  const auto& codes = train.labels().codes();
  std::vector<Index> first;
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (codes[i] == 0) first.push_back(static_cast<Index>(i));
  EXPECT_EQ(message_of([&] { train_nystrom_svm(map, train.select(first)); }),
            "training needs matrices of at least two classes; all " + std::to_string(first.size()) + " are of class '" +
                train.labels().names()[0] + "'");
}

}  // namespace
}  // namespace dsk::test
