#include "classify/pairwise_svm.hpp"

#include <gtest/gtest.h>

#include <classify/libsvm.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "classify/classify.hpp"
#include "support/made_classes.hpp"

namespace dsk::test {
namespace {

Matrix kernel_of(const SpdBatch& x, const SpdBatch& y) {
  return kernel_matrix(LearnedKernel::plain(x.dim(), 1), x, y);
}

TEST(Sigmoid, FitRecoversTheSigmoidOfDrawnSigns) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (const Sigmoid truth : {Sigmoid{-2, 0.5}, Sigmoid{-0.3, -1}, Sigmoid{-1, 0}}) {
    Eigen::VectorXd decisions(20000);
    std::vector<int> signs;
    for (double& f : decisions) {
      f = normal(random);
      signs.push_back(uniform(random) < truth(f) ? 1 : -1);
    }
    const Sigmoid found = detail::fit_sigmoid(decisions, signs);
    EXPECT_NEAR(found.slope, truth.slope, 0.1);
    EXPECT_NEAR(found.intercept, truth.intercept, 0.1);
  }
}

TEST(Sigmoid, FitMaximisesTheLikelihood) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (const double scale : {1e-6, 1.0, 1e4})
    for (const std::size_t positives : {1u, 5u, 19u}) {
      Eigen::VectorXd decisions(20);
      std::vector<int> signs(20, -1);
      std::fill_n(signs.begin(), positives, 1);
      for (Index i = 0; i < 20; ++i) decisions[i] = scale * (normal(random) + signs[static_cast<std::size_t>(i)]);
      const Sigmoid found = detail::fit_sigmoid(decisions, signs);
      const auto loss = [&](const Sigmoid& sigmoid) {
        const auto positive = static_cast<double>(positives), negative = 20 - positive;
        double sum = 0;
        for (Index i = 0; i < 20; ++i) {
          const double t =
              signs[static_cast<std::size_t>(i)] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
          const double p = sigmoid(decisions[i]);
          sum -= t * std::log(p) + (1 - t) * std::log1p(-p);
        }
        return sum;
      };
      for (const double step : {-1e-3, 1e-3}) {
        if (scale > 1e-3) {
          EXPECT_LE(loss(found), loss({found.slope + step / scale, found.intercept}));
        }
        EXPECT_LE(loss(found), loss({found.slope, found.intercept + step}));
      }
    }
}

TEST(Sigmoid, NeverPrefersTheSideOfTheSmallerDecisionValues) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const std::size_t positives : {3u, 10u, 17u}) {
    Eigen::VectorXd decisions(20);
    std::vector<int> signs(20, -1);
    std::fill_n(signs.begin(), positives, 1);
    for (Index i = 0; i < 20; ++i) decisions[i] = normal(random) - 2 * signs[static_cast<std::size_t>(i)];
    const Sigmoid found = detail::fit_sigmoid(decisions, signs);
    EXPECT_EQ(found.slope, 0);
    const auto positive = static_cast<double>(positives), negative = 20 - positive;
    const double softened = (positive * (positive + 1) / (positive + 2) + negative / (negative + 2)) / 20;
    EXPECT_NEAR(found(1), softened, 1e-12);
    EXPECT_NEAR(found(1), positive / 20, 0.1);
  }
}

TEST(Probabilities, DoNotDecreaseWithTheDecisionValueWhereClassesCannotBeTold) {
  // Folds of few matrices without a difference between classes often predict the wrong class out of sample.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SpdBatch x = random_spd({.count = 12, .dim = 3, .condition = 2, .seed = seed});
    const Dataset train(x, Labels(std::vector<long long>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
    const SvmClassifier model = train_svm(Comparison{}, train, {.theta = 1, .probabilities = true, .seed = seed});
    EXPECT_LE(detail::parts_of(model).sigmoids.at(0).slope, 0) << "seed " << seed;
  }
}

TEST(Sigmoid, DoesNotOverflow) {
  const Sigmoid sigmoid{-3, 1};
  EXPECT_EQ(sigmoid(1e300), 1);
  EXPECT_EQ(sigmoid(-1e300), 0);
  EXPECT_DOUBLE_EQ(sigmoid(1.0 / 3), 0.5);
}

TEST(Couple, RecoversConsistentProbabilities) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0.01, 1);
  for (const std::size_t classes : {2u, 3u, 7u, 40u}) {
    Eigen::RowVectorXd truth(static_cast<Index>(classes)), of_pairs(static_cast<Index>(classes * (classes - 1) / 2));
    for (double& p : truth) p = uniform(random);
    truth /= truth.sum();
    Index pair = 0;
    for (Index a = 0; a < truth.size(); ++a)
      for (Index b = a + 1; b < truth.size(); ++b) of_pairs[pair++] = truth[a] / (truth[a] + truth[b]);
    EXPECT_LT((detail::couple(of_pairs, classes) - truth).cwiseAbs().maxCoeff(), 1e-11) << classes;
  }
}

TEST(Couple, TurnsContradictoryPairsIntoProbabilities) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t classes = 2 + random() % 9;
    Eigen::RowVectorXd of_pairs(static_cast<Index>(classes * (classes - 1) / 2));
    for (double& p : of_pairs) p = 0.5 * static_cast<double>(random() % 3);
    const Eigen::RowVectorXd found = detail::couple(of_pairs, classes);
    EXPECT_TRUE(found.allFinite());
    EXPECT_GE(found.minCoeff(), 0);
    EXPECT_NEAR(found.sum(), 1, 1e-12);
  }
}

TEST(Couple, AgreesWithLibsvmGivenItsSigmoids) {
  const Dataset train = made_classes({.sizes = {20, 25, 15, 20}}), test = made_classes({.sizes = {15, 15, 15, 15}});
  std::vector<Index> by_class(static_cast<std::size_t>(train.size()));
  std::iota(by_class.begin(), by_class.end(), 0);
  std::stable_sort(by_class.begin(), by_class.end(),
                   [&](Index a, Index b) { return train.labels()[a] < train.labels()[b]; });
  const Dataset sorted = train.select(by_class);
  const Libsvm oracle(kernel_of(sorted.matrices(), sorted.matrices()), sorted.labels().codes(),
                      {.c = 2, .probabilities = true});
  const LibsvmAnswer answer = oracle.answer(kernel_of(test.matrices(), sorted.matrices()));
  for (Index i = 0; i < test.size(); ++i) {
    Eigen::RowVectorXd of_pairs(answer.decisions.cols());
    for (Index p = 0; p < of_pairs.size(); ++p)
      of_pairs[p] = Sigmoid{oracle.model().probA[p], oracle.model().probB[p]}(answer.decisions(i, p));
    // LIBSVM stops at 0.005 / classes.
    EXPECT_LT((detail::couple(of_pairs, 4) - answer.probabilities.row(i)).cwiseAbs().maxCoeff(), 5e-3);
  }
}

TEST(Probabilities, SumToOneAndAreCloseToLibsvm) {
  const Dataset train = made_classes({.sizes = {60, 80, 50}, .dim = 4}),
                test = made_classes({.sizes = {40, 40, 40}, .dim = 4, .seed = 1});
  const SvmClassifier model = train_svm(Comparison{}, train, {.theta = 1, .c = 2, .probabilities = true});
  const Matrix scores = predict(model, test.matrices()).scores;
  EXPECT_LT((scores.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_GE(scores.minCoeff(), 0);
  const Libsvm oracle(kernel_of(train.matrices(), train.matrices()), train.labels().codes(),
                      {.c = 2, .probabilities = true});
  const Matrix expected = oracle.answer(kernel_of(test.matrices(), train.matrices())).probabilities;
  EXPECT_LT((scores - expected).cwiseAbs().mean(), 0.03);
  EXPECT_LT((scores - expected).cwiseAbs().maxCoeff(), 0.15);
}

TEST(Probabilities, OfTwoClassesIncreaseWithTheDecisionValue) {
  const Dataset train = made_classes({.sizes = {30, 25}}), test = made_classes({.sizes = {40, 40}, .seed = 1});
  for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared}) {
    const SvmClassifier model = train_svm(Comparison{}, train, {.margin = margin, .probabilities = true});
    const Matrix scores = predict(model, test.matrices()).scores, decisions = decision_values(model, test.matrices());
    for (Index i = 0; i < test.size(); ++i)
      for (Index j = 0; j < test.size(); ++j)
        if (decisions(i, 0) < decisions(j, 0)) {
          ASSERT_LE(scores(i, 0), scores(j, 0));
        }
  }
}

TEST(Probabilities, DependOnTheSeedOfTheFolds) {
  const Dataset train = made_classes({.sizes = {15, 20}});
  const auto sigmoid = [&](std::uint64_t seed) {
    return detail::parts_of(train_svm(Comparison{}, train, {.probabilities = true, .seed = seed})).sigmoids.at(0);
  };
  EXPECT_EQ(sigmoid(1).slope, sigmoid(1).slope);
  EXPECT_NE(sigmoid(1).slope, sigmoid(2).slope);
}

TEST(Probabilities, HandleClassesOfOneMatrix) {
  const Dataset train = made_classes({.sizes = {1, 12, 1}});
  const Matrix scores = predict(train_svm(Comparison{}, train, {.probabilities = true}), train.matrices()).scores;
  EXPECT_GE(scores.minCoeff(), 0);
  EXPECT_LT((scores.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  for (Index i = 0; i < train.size(); ++i)
    if (train.labels()[i] == 1) {
      EXPECT_GT(scores(i, 1), 0.5) << "matrix " << i;
    }
}

}  // namespace
}  // namespace dsk::test
