#include <dsk/covariance.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
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

TEST(Mestre, EqualEigenvaluesShareTheirRoots) {
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

/// By the paper's steps, with explicit sums.
std::vector<long double> ben_david_oracle(const std::vector<long double>& lam, long double n) {
  const std::size_t dim = lam.size();
  const long double root = std::sqrt(static_cast<long double>(dim) / n);
  std::vector<long double> moved(dim);
  for (std::size_t k = 0; k < dim; ++k) {
    long double multiplicity = 0;
    for (const long double other : lam)
      if (other >= lam[k] * (1 - root) * (1 - root) && other <= lam[k] * (1 + root) * (1 + root)) ++multiplicity;
    const long double g = multiplicity / n;
    moved[k] = lam[k] * (1 + g) / ((1 - g) * (1 - g));
  }
  const auto error = [&](std::size_t first, std::size_t last) {
    long double sx = 0, sy = 0, sxx = 0, sxy = 0, total = 0;
    const auto m = static_cast<long double>(last - first);
    for (std::size_t k = first; k < last; ++k) {
      const auto x = static_cast<long double>(k);
      const long double y = std::log(lam[k]);
      sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    const long double slope = (m * sxy - sx * sy) / (m * sxx - sx * sx), offset = (sy - slope * sx) / m;
    for (std::size_t k = first; k < last; ++k) {
      const long double residual = std::log(lam[k]) - slope * static_cast<long double>(k) - offset;
      total += residual * residual;
    }
    return total;
  };
  std::size_t split = dim;
  for (std::size_t s = 2; s + 2 <= dim; ++s)
    if (split == dim || error(0, s) + error(s, dim) < error(0, split) + error(split, dim)) split = s;
  for (const auto& [first, last] : {std::pair{std::size_t{0}, split}, {split, dim}}) {
    long double before = 0, after = 0;
    for (std::size_t k = first; k < last; ++k) before += lam[k], after += moved[k];
    for (std::size_t k = first; k < last; ++k) moved[k] *= before / after;
  }
  return moved;
}

TEST(BenDavid, FollowsItsSteps) {
  for (const Index dim : {1, 2, 3, 4, 7, 28})
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const Index degrees = 2 * dim + 9;
      Eigen::VectorXd eigenvalues = sample_eigenvalues(degrees + 1, dim, seed);
      if (dim > 3) eigenvalues.head(2) *= 50;
      const std::vector<long double> lam(eigenvalues.begin(), eigenvalues.end());
      const auto expected = ben_david_oracle(lam, static_cast<long double>(degrees));
      const Eigen::VectorXd found = corrected_eigenvalues(Estimator::ben_david, eigenvalues, degrees);
      for (Index k = 0; k < dim; ++k)
        EXPECT_NEAR(found[k], static_cast<double>(expected[static_cast<std::size_t>(k)]),
                    tolerance(dim, 1, eigenvalues[k]));
      EXPECT_NEAR(found.sum(), eigenvalues.sum(), tolerance(dim, 1, eigenvalues.sum()));
    }
}

TEST(Corrections, KeepEigenvectors) {
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

TEST(Corrections, RefuseWhatTheyCannotCorrect) {
  const Eigen::VectorXd good = Eigen::VectorXd::LinSpaced(4, 4, 1);
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::oas, good, 100); }), "oas does not correct");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, good, 4); }), "5 samples for 4 features");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, good.reverse(), 9); }), "descending");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, Eigen::VectorXd::Zero(2), 9); }), "positive");
  EXPECT_SAYS(message_of([&] { corrected_eigenvalues(Estimator::mestre, Eigen::VectorXd(), 9); }), "no eigenvalues");
}

}  // namespace
}  // namespace dsk::test
