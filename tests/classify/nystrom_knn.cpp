#include <dsk/classify.hpp>

#include <gtest/gtest.h>

#include "classify/classify.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/oracle.hpp"
#include "support/some_kernel.hpp"

namespace dsk::test {
namespace {

Dataset neighbouring(std::uint64_t seed = 0) {
  return made_classes({.sizes = {50, 40, 30}, .seed = seed});
}

TEST(NystromKnn, WithAllLandmarksEqualsTheExactClassifier) {
  const Dataset train = neighbouring(), test = neighbouring(1);
  const std::vector<Comparison> comparisons{Comparison{}, Comparison{.metric = Metric::cholesky},
                                            Comparison{.learned = some_kernel(3)}};
  for (const Comparison& comparison : comparisons)
    for (const Index neighbours : {1, 5}) {
      const NystromMap map = fit_nystrom(comparison, train, {.landmarks = 120}).map;
      const NystromKnn found(map, train, {.neighbours = neighbours});
      EXPECT_LT(found.residual_share(), 1e-9);
      const Prediction expected = predict(train_knn(comparison, train, {.neighbours = neighbours}), train.matrices());
      const Prediction answer = predict(found, train.matrices());
      EXPECT_EQ(answer.labels.codes(), expected.labels.codes());
      EXPECT_LT((answer.scores - expected.scores).cwiseAbs().maxCoeff(), 1e-12);
      // New matrices are represented by their kernel values with the landmarks only.
      EXPECT_NEAR(accuracy(found, test), accuracy(train_knn(comparison, train, {.neighbours = neighbours}), test),
                  0.05);
    }
}

TEST(NystromKnn, IsTheSameForAnyNumberOfThreads) {
  const Dataset train = made_classes({.sizes = {600, 500}, .dim = 4}),
                test = made_classes({.sizes = {90, 90}, .dim = 4});
  const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 40}).map;
  const NystromKnn one(map, train, {.threads = 1});
  for (const int threads : {2, 3}) {
    const NystromKnn other(map, train, {.threads = threads});
    EXPECT_EQ(other.features(), one.features());
    EXPECT_EQ(predict(other, test.matrices(), {.threads = threads}).scores,
              predict(one, test.matrices(), {.threads = 1}).scores);
  }
}

TEST(NystromKnn, RefusesPartsThatDoNotMatch) {
  const Dataset train = neighbouring();
  const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 6}).map;
  const Labels& labels = train.labels();
  const auto says = [&](const Matrix& features, Index neighbours) {
    return message_of([&] { NystromKnn(map, features, labels, neighbours); });
  };
  EXPECT_EQ(says(Matrix::Zero(120, 6), 5), "");
  EXPECT_EQ(says(Matrix::Zero(120, 6), 0), "neighbours 0 must be 1 or more");
  EXPECT_EQ(says(Matrix::Zero(119, 6), 5), "119 x 6 features do not match 120 labels and 6 landmarks");
  EXPECT_EQ(says(Matrix::Zero(120, 5), 5), "120 x 5 features do not match 120 labels and 6 landmarks");
  EXPECT_EQ(says(Matrix::Constant(120, 6, std::numeric_limits<double>::quiet_NaN()), 5),
            "a feature of the training set is not a finite number");
  EXPECT_EQ(message_of([&] { NystromKnn(map, Dataset(train.matrices())); }),
            "the data set of 120 matrices has no labels");
  EXPECT_EQ(message_of([&] { predict(NystromKnn(map, train), random_spd({.dim = 4})); }),
            "the model is for 3 x 3 matrices, not for 4 x 4");
}

TEST(ApproximationCheck, FindsNoErrorWithAllLandmarks) {
  const Dataset data = neighbouring();
  const NystromMap map = fit_nystrom(Comparison{}, data, {.landmarks = 120, .theta = 2}).map;
  for (const ApproximationCheck& check : {check_approximation(map, data, SvmTraining{.c = 3}),
                                          check_approximation(map, data, KnnOptions{.neighbours = 3})}) {
    EXPECT_EQ(check.pairs_of, 120);
    EXPECT_LT(check.largest_error, 1e-8);
    EXPECT_EQ(check.trained_on, 60);
    EXPECT_EQ(check.predicted, 60);
    EXPECT_GE(check.agreement, 0.95);
    EXPECT_NEAR(check.exact, check.approximate, 0.05);
  }
}

TEST(ApproximationCheck, MeasuresTheErrorOfTheKernel) {
  const Dataset data = neighbouring();
  const NystromMap map = fit_nystrom(Comparison{}, data, {.landmarks = 1, .theta = 2}).map;
  const ApproximationCheck check =
      check_approximation(map, data, KnnOptions{}, {.pairs_of = 120, .trained_on = 30, .predicted = 17});
  Real sum = 0, largest = 0;
  const MatrixView landmark = map.landmarks().matrices()[0];
  const SpdBatch& x = data.matrices();
  for (Index i = 0; i < 120; ++i)
    for (Index j = 0; j < i; ++j) {
      const auto kernel = [](const auto& a, const auto& b) { return std::exp(-2 * stein_oracle(a, b)); };
      const Real error = std::abs(kernel(x[i], x[j]) - kernel(x[i], landmark) * kernel(landmark, x[j]));
      sum += error;
      largest = std::max(largest, error);
    }
  EXPECT_NEAR(check.mean_error, static_cast<double>(sum / (120 * 119 / 2)), 1e-12);
  EXPECT_NEAR(check.largest_error, static_cast<double>(largest), 1e-12);
  EXPECT_EQ(check.trained_on, 30);
  EXPECT_EQ(check.predicted, 17);
  EXPECT_LT(check.agreement, 1);
}

TEST(NystromKnn, CountsWeightsAsRepetitions) {
  const Dataset train = neighbouring();
  const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 10}).map;
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < train.size(); ++i) {
    weights.push_back(static_cast<double>(1 + i * 7 % 4));
    repeated.insert(repeated.end(), static_cast<std::size_t>(1 + i * 7 % 4), i);
  }
  const Dataset weighted(train.matrices(), train.labels(), {}, weights);
  const auto scores = [&](const Dataset& set) {
    return predict(NystromKnn(map, set, {.neighbours = 5}), train.matrices()).scores;
  };
  EXPECT_LT((scores(weighted) - scores(train.select(repeated))).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT((scores(weighted) - scores(train)).cwiseAbs().maxCoeff(), 0.1);
}

}  // namespace
}  // namespace dsk::test
