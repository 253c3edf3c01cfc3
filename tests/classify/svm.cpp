#include <dsk/classify.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <classify/libsvm.hpp>

#include <numeric>
#include <set>

#include "classify/classify.hpp"
#include "engine/engine.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/some_kernel.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// Overlapping classes, so that some points are on the wrong side of the margin.
Dataset overlapping(std::vector<Index> sizes, std::uint64_t seed = 0) {
  return made_classes({.sizes = std::move(sizes), .dim = 3, .seed = seed});
}

Matrix kernel_of(const Comparison& comparison, double theta, const SpdBatch& x, const SpdBatch& y) {
  Matrix kernel = pairwise_squared_distances(comparison, x, y);
  exponential_in_place(kernel, -theta);
  return kernel;
}

/// Three copies of the members of one class, one of all others.
Dataset with_copies(const Dataset& data, int of_class) {
  std::vector<Index> chosen;
  for (Index i = 0; i < data.size(); ++i) chosen.insert(chosen.end(), data.labels()[i] == of_class ? 3u : 1u, i);
  return data.select(chosen);
}

TEST(Svm, DecisionValuesAgreeWithLibsvm) {
  const Dataset train = overlapping({15, 20, 10}), test = overlapping({10, 10, 10}, 1);
  const std::vector<Comparison> comparisons{
      {.metric = Metric::cholesky},     {.metric = Metric::euclidean},
      {.metric = Metric::logeuclidean}, {.metric = Metric::powereuclidean, .zeta = 0.3},
      {.metric = Metric::stein},        {.learned = some_kernel(3)}};
  for (const Comparison& comparison : comparisons)
    for (const double c : {0.5, 5.0})
      for (const std::vector<double>& weights : {std::vector<double>{}, std::vector<double>{1, 0.5, 3}}) {
        const SvmClassifier model = train_svm(comparison, train, {.theta = 2, .c = c, .class_weights = weights});
        LibsvmOptions options{.c = c};
        for (std::size_t k = 0; k < weights.size(); ++k) options.weights.emplace_back(k, weights[k]);
        const Libsvm oracle(kernel_of(comparison, 2, train.matrices(), train.matrices()), train.labels().codes(),
                            options);
        const LibsvmAnswer answer = oracle.answer(kernel_of(comparison, 2, test.matrices(), train.matrices()));
        // LIBSVM's kernel values are in single precision.
        const double allowed = bounded_dual_tolerance(oracle.coefficient_sum());
        EXPECT_LT((decision_values(model, test.matrices()) - answer.decisions).cwiseAbs().maxCoeff(), allowed)
            << name(comparison.metric) << ", C = " << c << ", " << weights.size() << " weights";
      }
}

TEST(Svm, KeepsOnlyTheSupportMatrices) {
  const Dataset train = overlapping({40, 40, 40}), test = overlapping({20, 20, 20}, 1);
  for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared}) {
    const SvmClassifier model = train_svm(Comparison{}, train, {.c = 10, .margin = margin});
    EXPECT_LT(model.support().size(), train.size());
    EXPECT_EQ(detail::parts_of(model).machine.coefficients().rows(), model.support().size());
    EXPECT_EQ(detail::parts_of(model).machine.support().size(), static_cast<std::size_t>(model.support().size()));
    const PairwiseSvm whole(kernel_of({}, 1, train.matrices(), train.matrices()), train.labels().codes(),
                            {.c = 10, .margin = margin});
    const Matrix expected = whole.decisions(kernel_of({}, 1, test.matrices(), train.matrices()));
    const Matrix found = decision_values(model, test.matrices());
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-11 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
  }
}

TEST(Svm, ThetaIsTheLearnedKernelsUnlessGiven) {
  const Dataset train = overlapping({15, 15});
  EXPECT_EQ(train_svm(some_kernel(3), train).theta(), 1.5);
  EXPECT_EQ(train_svm(some_kernel(3), train, {.theta = 3}).theta(), 3);
  EXPECT_EQ(train_svm(Comparison{}, train).theta(), 1);
  const Matrix kernel = kernel_matrix(some_kernel(3), train.matrices());
  EXPECT_LT((decision_values(train_svm(some_kernel(3), train), train.matrices()) -
             PairwiseSvm(kernel, train.labels().codes()).decisions(kernel))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
}

TEST(Svm, ClassWeightsEqualRepeatedMatrices) {
  const Dataset train = overlapping({12, 16, 9}), test = overlapping({10, 10, 10}, 1);
  for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared})
    for (const double c : {0.01, 0.3, 4.0})
      for (const int heavy : {0, 1, 2}) {
        std::vector<double> weights{1, 1, 1};
        weights[static_cast<std::size_t>(heavy)] = 3;
        const SvmClassifier weighted =
            train_svm(Comparison{}, train, {.c = c, .margin = margin, .class_weights = weights});
        const SvmClassifier copied = train_svm(Comparison{}, with_copies(train, heavy), {.c = c, .margin = margin});
        const double difference =
            (decision_values(weighted, test.matrices()) - decision_values(copied, test.matrices()))
                .cwiseAbs()
                .maxCoeff();
        EXPECT_LT(difference, margin == SoftMargin::linear ? 1e-5 : 1e-9) << "C = " << c << ", class " << heavy;
      }
}

TEST(Svm, BalancedWeightsAreInverselyProportionalToClassSizes) {
  const Dataset train = overlapping({30, 6, 12});
  const SvmClassifier model = train_svm(Comparison{}, train, {.balanced = true});
  const std::vector<double> expected{48 / (3.0 * 30), 48 / (3.0 * 6), 48 / (3.0 * 12)};
  EXPECT_EQ(model.training().class_weights, expected);
  EXPECT_EQ(decision_values(model, train.matrices()),
            decision_values(train_svm(Comparison{}, train, {.class_weights = expected}), train.matrices()));
}

TEST(Svm, PredictsTheClassWithMostWinsAndScoresByWins) {
  const Dataset train = overlapping({15, 15, 15, 15}), test = overlapping({10, 10, 10, 10}, 1);
  const SvmClassifier model = train_svm(Comparison{}, train, {.c = 3});
  const Prediction prediction = predict(model, test.matrices());
  const Matrix decisions = decision_values(model, test.matrices());
  for (Index i = 0; i < test.size(); ++i) {
    EXPECT_NEAR(prediction.scores.row(i).sum(), 1, 1e-12);
    Index best = 0;
    prediction.scores.row(i).maxCoeff(&best);
    EXPECT_EQ(prediction.labels[i], best);
  }
  EXPECT_EQ(prediction.scores, detail::parts_of(model).machine.wins(decisions));
  EXPECT_GT(accuracy(model, test), 0.4);
}

TEST(Svm, ClassesWithoutMembersNeverWin) {
  const Dataset all = overlapping({10, 10, 10});
  std::vector<Index> without_second;
  for (Index i = 0; i < all.size(); ++i)
    if (all.labels()[i] != 1) without_second.push_back(i);
  for (const bool probabilities : {false, true}) {
    const SvmClassifier model = train_svm(Comparison{}, all.select(without_second),
                                          {.class_weights = {1, 7, 2}, .probabilities = probabilities});
    const Prediction prediction = predict(model, all.matrices());
    EXPECT_EQ(prediction.labels.names(), all.labels().names());
    EXPECT_EQ(prediction.scores.col(1).cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(std::set<int>(prediction.labels.codes().begin(), prediction.labels.codes().end()).count(1), 0u);
  }
}

TEST(Svm, SameBitsForAnyNumberOfThreads) {
  const Dataset train = wishart_classes({.classes = 4, .per_class = 40, .dim = 4, .degrees = 12, .tau = 0.3});
  const auto answer = [&](int threads) {
    const SvmTraining options{.theta = 2, .c = 3, .probabilities = true, .pairs = {.threads = threads}};
    return predict(train_svm(Comparison{}, train, options), train.matrices(), {.threads = threads});
  };
  const Prediction one = answer(1);
  for (const int threads : {0, 2, 3}) {
    EXPECT_EQ(answer(threads).labels.codes(), one.labels.codes());
    EXPECT_EQ(answer(threads).scores, one.scores);
  }
}

TEST(Svm, NegativeEigenvaluesOfTheKernelAreClipped) {
  const Comparison airm{.metric = Metric::airm};
  // Large kernel matrices are decomposed by other code.
  for (const Index half : {30, 90}) {
    const Dataset train(random_spd({.count = 2 * half, .dim = 3, .condition = 1e6}),
                        overlapping({half, half}).labels());
    EXPECT_NE(message_of([&] { train_svm(airm, train); }).find("positive definite"), std::string::npos);
    bool was_negative = false;
    for (const double theta : {1e-3, 3e-3, 1e-2, 3e-2}) {
      const SvmClassifier model = train_svm(airm, train, {.theta = theta, .c = 10, .allow_indefinite = true});
      const Matrix kernel = kernel_of(airm, theta, train.matrices(), train.matrices());
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(kernel);
      ASSERT_TRUE(model.smallest_eigenvalue().has_value());
      EXPECT_NEAR(*model.smallest_eigenvalue(), eigen.eigenvalues()[0], 1e-12);
      if (eigen.eigenvalues()[0] > -1e-6) continue;
      was_negative = true;
      const Matrix clipped =
          eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
      const Matrix expected = PairwiseSvm(clipped, train.labels().codes(), {.c = 10}).decisions(clipped);
      EXPECT_LT((decision_values(model, train.matrices()) - expected).cwiseAbs().maxCoeff(), 1e-5)
          << theta << ", " << 2 * half << " matrices";
    }
    EXPECT_TRUE(was_negative);
  }
  EXPECT_FALSE(train_svm(Comparison{}, overlapping({8, 8})).smallest_eigenvalue().has_value());
}

TEST(Svm, RefusesBadInput) {
  const Dataset train = overlapping({8, 8});
  const auto says = [&](const SvmTraining& options) {
    return message_of([&] { train_svm(Comparison{}, train, options); });
  };
  EXPECT_NE(says({.theta = 0.7}).find("theta 0.7 is not valid for the stein kernel of 3 x 3"), std::string::npos);
  EXPECT_EQ(says({.theta = 0.7, .allow_indefinite = true}), "");
  EXPECT_EQ(says({.c = -1}), "C -1 must be finite and above 0");
  EXPECT_EQ(says({.class_weights = {1}}), "1 class weights do not match 2 classes");
  EXPECT_EQ(says({.class_weights = {1, 0}}),
            "class weight 1 is 0; the weight and C times the weight must be finite and above 0");
  EXPECT_EQ(says({.balanced = true, .class_weights = {1, 2}}),
            "class weights must be either balanced or given, not both");
  EXPECT_EQ(message_of([&] { train_svm(Comparison{}, overlapping({8})); }),
            "training needs matrices of at least two classes; all 8 are of class '0'");
  EXPECT_EQ(message_of([&] { train_svm(Comparison{}, Dataset(train.matrices())); }),
            "the data set of 16 matrices has no labels");
  EXPECT_EQ(message_of([&] { predict(train_svm(Comparison{}, train), random_spd({.dim = 4})); }),
            "the model is for 3 x 3 matrices, not for 4 x 4");
}

TEST(Svm, ValidThetaDependsOnTheSizeAfterProjection) {
  const Dataset train = made_classes({.sizes = {9, 8}, .dim = 6});
  const LearnedKernel kernel(Transform(Projection{Matrix::Identity(6, 2)}), EigenvalueAdjustment::none(2), 0.7);
  const SvmClassifier model = train_svm(kernel, train);
  EXPECT_EQ(model.theta(), 0.7);
  EXPECT_FALSE(model.smallest_eigenvalue());
  EXPECT_THROW(train_svm(Comparison{}, train, {.theta = 0.7}), InvalidInput);
}

}  // namespace
}  // namespace dsk::test
