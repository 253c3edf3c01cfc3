#include <dsk/covariance.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>

#include "files/scratch.hpp"
#include "support/made_samples.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

Eigen::VectorXd descending_eigenvalues(const Matrix& x) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(x).eigenvalues().reverse();
}

Eigen::VectorXd sample_eigenvalues(Index count, Index dim, std::uint64_t seed) {
  return descending_eigenvalues(covariance(normal_samples(count, Eigen::VectorXd::LinSpaced(dim, 1, 40), seed)));
}

TEST(Mestre, SolvesItsDefiningEquation) {
  for (const Index dim : {1, 2, 5, 40})
    for (const Index degrees : {dim + 1, 2 * dim + 1, 100 * dim}) {
      const Eigen::VectorXd eigenvalues = sample_eigenvalues(degrees + 1, dim, 1);
      const Eigen::VectorXd found = corrected_eigenvalues(Estimator::mestre, eigenvalues, degrees);
      for (Index k = 0; k < dim; ++k) {
        const long double distance = static_cast<long double>(found[k]) / static_cast<long double>(degrees);
        const long double below = k + 1 < dim ? eigenvalues[k + 1] : 0.0;
        EXPECT_GT(distance, 0);
        EXPECT_LE(distance, eigenvalues[k] - below);
        long double sum = 0, steepness = 0;
        for (const double other : eigenvalues) {
          const long double gap = static_cast<long double>(other) - eigenvalues[k] + distance;
          sum += other / gap / static_cast<long double>(degrees);
          steepness += other / (gap * gap) / static_cast<long double>(degrees);
        }
        // A root known to a relative epsilon satisfies the equation as well as its slope allows.
        EXPECT_NEAR(static_cast<double>(sum), 1, tolerance(dim, 1, static_cast<double>(steepness * distance)));
      }
    }
}

TEST(Mestre, EqualEigenvaluesGetEqualEstimates) {
  Eigen::VectorXd eigenvalues(5);
  eigenvalues << 7, 3, 3, 3, 1;
  const Eigen::VectorXd found = corrected_eigenvalues(Estimator::mestre, eigenvalues, 30);
  EXPECT_EQ(found[1], found[2]);
  EXPECT_EQ(found[2], found[3]);
  Eigen::VectorXd nearly = eigenvalues;
  nearly[1] += 1e-9;
  nearly[3] -= 1e-9;
  const Eigen::VectorXd parted = corrected_eigenvalues(Estimator::mestre, nearly, 30);
  EXPECT_NEAR(parted.segment(1, 3).sum(), found.segment(1, 3).sum(), 1e-6);
  EXPECT_GT(found.minCoeff(), 0);
}

TEST(Mestre, HasFarLessBiasThanSampleEigenvalues) {
  const Index dim = 40, count = 100, repetitions = 200;
  Eigen::VectorXd sample = Eigen::VectorXd::Zero(dim), corrected = sample;
  const Eigen::VectorXd truth = Eigen::VectorXd::LinSpaced(dim, 1, 40).reverse();
  for (Index repetition = 0; repetition < repetitions; ++repetition) {
    const Eigen::VectorXd eigenvalues = sample_eigenvalues(count, dim, static_cast<std::uint64_t>(repetition));
    sample += eigenvalues / repetitions;
    corrected += corrected_eigenvalues(Estimator::mestre, eigenvalues, count - 1) / repetitions;
  }
  EXPECT_NEAR(sample[0], 67, 4);  // what the paper shows
  EXPECT_NEAR(sample[dim - 1], 0.4, 0.2);
  const auto bias = [&](const Eigen::VectorXd& mean) { return (mean - truth).cwiseAbs().mean(); };
  EXPECT_LT(bias(corrected), bias(sample) / 3) << bias(corrected) << " and " << bias(sample);
  EXPECT_LT(std::abs(corrected[0] - 40), std::abs(sample[0] - 40) / 3);
}

TEST(EfronMorris, IsThePrecisionMatrixOfItsFormula) {
  const Index dim = 6, count = 20;
  const Matrix samples = mixed_samples(count, dim, 4);
  const Matrix scatter = covariance(samples) * static_cast<double>(count - 1);
  const auto n = static_cast<double>(count - 1), d = static_cast<double>(dim);
  const Matrix precision =
      (n - d - 1) * Matrix(scatter.inverse()) + (d * d + d - 2) / scatter.trace() * Matrix::Identity(dim, dim);
  const Matrix product = covariance(samples, {.estimator = Estimator::efron_morris}) * precision;
  EXPECT_LT((product - Matrix::Identity(dim, dim)).cwiseAbs().maxCoeff(), tolerance(dim, 1e8));
}

TEST(EfronMorris, LowersTheRiskOfThePrecisionMatrix) {
  const Index dim = 10, count = 30;
  const auto n = static_cast<double>(count - 1), d = static_cast<double>(dim);
  const Eigen::VectorXd variances = Eigen::VectorXd::LinSpaced(dim, 1, 3);
  const Matrix truth = variances.cwiseInverse().asDiagonal();
  double plain = 0, unbiased = 0, corrected = 0;
  for (std::uint64_t repetition = 0; repetition < 300; ++repetition) {
    const Matrix samples = normal_samples(count, variances, repetition);
    const Matrix sample = covariance(samples);
    // Their loss: tr((P - P0)^2 S).
    const auto loss = [&](const Matrix& precision) {
      return ((precision - truth) * (precision - truth) * sample).trace();
    };
    plain += loss(sample.inverse());
    unbiased += loss((n - d - 1) / n * Matrix(sample.inverse()));
    corrected += loss(covariance(samples, {.estimator = Estimator::efron_morris}).inverse());
  }
  EXPECT_LT(corrected, 0.8 * unbiased);
  EXPECT_LT(corrected, 0.5 * plain);
}

TEST(BenDavid, KeepsTheSum) {
  for (const Index dim : {1, 2, 3, 4, 7, 28}) {
    Eigen::VectorXd eigenvalues = sample_eigenvalues(2 * dim + 10, dim, 1);
    if (dim > 3) eigenvalues.head(2) *= 50;
    const Eigen::VectorXd found = corrected_eigenvalues(Estimator::ben_david, eigenvalues, 2 * dim + 9);
    EXPECT_NEAR(found.sum(), eigenvalues.sum(), tolerance(dim, 1, eigenvalues.sum())) << dim;
  }
}

TEST(BenDavid, TwoEigenvaluesByHand) {
  // n = 8, d = 2: sqrt(d / n) = 1/2, so the interval of lam is [lam / 4, 9 lam / 4].
  //   8 in [2, 18]: 8, 3        multiplicity 2, g = 1/4, (1 + g) / (1 - g)^2 = 20/9
  //   3 in [0.75, 6.75]: 3      multiplicity 1, g = 1/8, (1 + g) / (1 - g)^2 = 72/49
  // Fewer than four points are not split: 160/9 and 216/49, sum 9784/441; times 11 / sum.
  const Eigen::VectorXd found = corrected_eigenvalues(Estimator::ben_david, Eigen::Vector2d(8, 3), 8);
  EXPECT_NEAR(found[0], 86240. / 9784, tolerance(2, 1, 8));
  EXPECT_NEAR(found[1], 21384. / 9784, tolerance(2, 1, 3));
}

TEST(BenDavid, FourEigenvaluesByHand) {
  // n = 16, d = 4: sqrt(d / n) = 1/2, so the interval of lam is [lam / 4, 9 lam / 4].
  //   100  in [25, 225]: 100, 30         multiplicity 2, g = 1/8,  (1 + g) / (1 - g)^2 = 72/49
  //   30   in [7.5, 67.5]: 30            multiplicity 1, g = 1/16, (1 + g) / (1 - g)^2 = 272/225
  //   2    in [0.5, 4.5]: 2, 0.75        multiplicity 2
  //   0.75 in [0.1875, 1.6875]: 0.75     multiplicity 1
  // Four points can only be split two and two.
  //   large: 100 * 72/49 = 7200/49 and 30 * 272/225 = 544/15, sum 134656/735; times 130 / sum:
  //     7200/49 * 130 * 735/134656 = 14040000/134656 and 544/15 * 130 * 735/134656 = 3465280/134656
  //   small: 2 * 72/49 = 144/49 and 0.75 * 272/225 = 68/75, sum 14132/3675; times 2.75 / sum:
  //     144/49 * 2.75 * 3675/14132 = 118800/56528 and 68/75 * 2.75 * 3675/14132 = 36652/56528
  const Eigen::VectorXd expected =
      Eigen::Vector4d(14040000. / 134656, 3465280. / 134656, 118800. / 56528, 36652. / 56528);
  const Eigen::VectorXd found = corrected_eigenvalues(Estimator::ben_david, Eigen::Vector4d(100, 30, 2, 0.75), 16);
  for (Index k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], tolerance(4, 1, expected[k])) << k;
}

TEST(BenDavid, FiveEigenvaluesSplitAtTheKneeByHand) {
  // n = 45, d = 5: sqrt(d / n) = 1/3, so the interval of lam is [4 lam / 9, 16 lam / 9]: only the next smaller one,
  // half as large, is inside, which 16 and 0.01 do not have.
  //   multiplicity 2: g = 2/45, (47/45) / (43/45)^2 = 2115/1849 for 64, 32 and 0.02
  //   multiplicity 1: g = 1/45, (46/45) / (44/45)^2 = 1035/968 for 16 and 0.01
  // The logarithms of the first three and of the last two lie on straight lines, so that the split is after three.
  const double two = 2115. / 1849, one = 1035. / 968;
  const double large = 112 / (96 * two + 16 * one), small = 0.03 / (0.02 * two + 0.01 * one);
  Eigen::VectorXd eigenvalues(5), expected(5);
  eigenvalues << 64, 32, 16, 0.02, 0.01;
  expected << 64 * two * large, 32 * two * large, 16 * one * large, 0.02 * two * small, 0.01 * one * small;
  const Eigen::VectorXd found = corrected_eigenvalues(Estimator::ben_david, eigenvalues, 45);
  for (Index k = 0; k < 5; ++k) EXPECT_NEAR(found[k], expected[k], tolerance(5, 1, expected[k])) << k;
}

TEST(Corrections, KeepTheEigenvectors) {
  const Matrix samples = mixed_samples(60, 6, 9);
  const Matrix sample = covariance(samples);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> plain(sample);
  for (const Estimator estimator : {Estimator::mestre, Estimator::efron_morris, Estimator::ben_david}) {
    const Matrix inside =
        plain.eigenvectors().transpose() * covariance(samples, {.estimator = estimator}) * plain.eigenvectors();
    const Eigen::VectorXd expected =
        corrected_eigenvalues(estimator, plain.eigenvalues().reverse(), samples.rows() - 1).reverse();
    const double limit = tolerance(6, 1e6, expected.maxCoeff());
    EXPECT_LT((inside - Matrix(expected.asDiagonal())).cwiseAbs().maxCoeff(), limit) << name(estimator);
  }
}

TEST(Corrections, RejectInvalidArguments) {
  const Eigen::VectorXd good = Eigen::VectorXd::LinSpaced(4, 4, 1);
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::oas, good, 100); }), "oas does not correct");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, good, 4); }), "5 samples for 4 features");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, good.reverse(), 9); }), "descending");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, Eigen::VectorXd::Zero(2), 9); }), "positive");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, Eigen::VectorXd(), 9); }), "no eigenvalues");
}

}  // namespace
}  // namespace dsk::test
