#include <dsk/covariance.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "files/scratch.hpp"
#include "support/made_samples.hpp"
#include "support/message.hpp"
#include "support/oracle_covariance.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr Estimator all_estimators[] = {Estimator::sample,      Estimator::ledoit_wolf, Estimator::oas,
                                        Estimator::correlation, Estimator::mestre,      Estimator::efron_morris,
                                        Estimator::ben_david};

/// Rounding error of a sum of products, relative to the deviations of the two features.
void expect_close(const Matrix& found, const auto& oracle, const CovarianceOracle& units, Index dim) {
  ASSERT_EQ(found.rows(), dim);
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c < dim; ++c) {
      const auto unit = static_cast<double>(std::sqrt(units.sample(r, r) * units.sample(c, c)));
      EXPECT_NEAR(found(r, c), static_cast<double>(oracle(r, c)), tolerance(dim, 1) * unit) << r << ", " << c;
      EXPECT_EQ(found(r, c), found(c, r));
    }
}

TEST(Covariance, AgreesWithItsDefinitionOnEveryInstructionSet) {
  on_every_target([] {
    for (const Index dim : {1, 2, 3, 4, 5, 7, 8, 11, 43})
      for (const Index count : {2, 3, 9, 64, 1031}) {
        const Matrix samples = mixed_samples(count, dim, 7);
        const CovarianceOracle oracle(samples);
        expect_close(
            covariance(samples), [&](Index r, Index c) { return oracle.sample(r, c); }, oracle, dim);
      }
  });
}

TEST(Covariance, ShrinkageAgreesWithItsDefinition) {
  for (const Index dim : {2, 5, 20})
    for (const Index count : {4, 30, 500}) {
      const Matrix samples = normal_samples(count, Eigen::VectorXd::LinSpaced(dim, 1, 4), 3);
      const CovarianceOracle oracle(samples);
      const auto share_lw = oracle.ledoit_wolf_share(), share_oas = oracle.oas_share();
      expect_close(
          covariance(samples, {.estimator = Estimator::ledoit_wolf}),
          [&](Index r, Index c) { return oracle.shrunk(r, c, share_lw); }, oracle, dim);
      expect_close(
          covariance(samples, {.estimator = Estimator::oas}),
          [&](Index r, Index c) { return oracle.shrunk(r, c, share_oas); }, oracle, dim);
    }
}

TEST(Covariance, CorrelationHasUnitDiagonalAndIgnoresUnits) {
  const Matrix samples = mixed_samples(50, 6, 1);
  const CovarianceOracle oracle(samples);
  const Matrix found = covariance(samples, {.estimator = Estimator::correlation});
  for (Index r = 0; r < 6; ++r) {
    EXPECT_EQ(found(r, r), 1);
    for (Index c = 0; c < 6; ++c) {
      const auto expected = oracle.scatter(r, c) / std::sqrt(oracle.scatter(r, r) * oracle.scatter(c, c));
      EXPECT_NEAR(found(r, c), static_cast<double>(expected), tolerance(6, 1));
      EXPECT_LE(std::abs(found(r, c)), 1);
    }
  }
}

TEST(Covariance, IsAccurateFarFromZero) {
  const Matrix samples = mixed_samples(200, 4, 2);
  const Matrix moved = samples.array() + 1e6;
  // Samples near 1e6 have a rounding error of 1e6 eps.
  const Matrix difference = covariance(samples) - covariance(moved);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), tolerance(4, 1, 1e6 * 1e3));
}

TEST(Covariance, OfABatchIsThatOfEachTrial) {
  const Index trials = 9, channels = 5, samples = 40;
  std::vector<double> values;
  std::vector<Matrix> singly;
  for (Index i = 0; i < trials; ++i) {
    singly.push_back(mixed_samples(samples, channels, static_cast<std::uint64_t>(i)));
    for (Index c = 0; c < channels; ++c)
      for (Index s = 0; s < samples; ++s) values.push_back(singly.back()(s, c));
  }
  for (const Estimator estimator : all_estimators) {
    const SpdBatch batch = covariance(StackView{values, trials, channels, samples}, {.estimator = estimator});
    ASSERT_EQ(batch.size(), trials);
    for (Index i = 0; i < trials; ++i)
      EXPECT_EQ(Matrix(batch[i]), covariance(singly[static_cast<std::size_t>(i)], {.estimator = estimator}))
          << name(estimator);
  }
}

TEST(Covariance, DoesNotDependOnTheNumberOfThreads) {
  const Index trials = 300, channels = 12, samples = 100;
  const Matrix all = normal_samples(trials * channels, Eigen::VectorXd::Ones(samples), 5);
  const StackView view{{all.data(), static_cast<std::size_t>(all.size())}, trials, channels, samples};
  for (const Estimator estimator : all_estimators) {
    const SpdBatch one = covariance(view, {.estimator = estimator, .threads = 1});
    const SpdBatch five = covariance(view, {.estimator = estimator, .threads = 5});
    EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), five.values().begin()));
  }
}

TEST(Covariance, TooFewSamplesAreReportedWithARemedy) {
  const Matrix few = normal_samples(43, Eigen::VectorXd::Ones(12), 5);  // 43 channels of 12 samples
  const StackView view{{few.data(), static_cast<std::size_t>(few.size())}, 1, 43, 12};
  const std::string said = message_of([&] { covariance(view); });
  EXPECT_SAYS(said, "trial 0: 12 samples for 43 features: use the estimator oas");
  EXPECT_EQ(covariance(view, {.estimator = Estimator::oas}).dim(), 43);
  EXPECT_EQ(covariance(view, {.estimator = Estimator::ledoit_wolf}).dim(), 43);
  EXPECT_EQ(covariance(Matrix(few.transpose())).rows(), 43);  // a single matrix may be singular
  for (const auto& [estimator, needed] :
       {std::pair{Estimator::mestre, 45}, {Estimator::ben_david, 45}, {Estimator::efron_morris, 46}}) {
    const CovarianceOptions options{.estimator = estimator};
    EXPECT_THROW(covariance(view, options), RankDeficient);
    const Matrix just_short = normal_samples(needed - 1, Eigen::VectorXd::Ones(43), 5);
    EXPECT_SAYS(message_of([&] { covariance(just_short, options); }), "needs at least " + std::to_string(needed));
    EXPECT_EQ(covariance(normal_samples(needed, Eigen::VectorXd::Ones(43), 5), options).rows(), 43);
  }
}

TEST(Covariance, ConstantAndDependentFeaturesAreNamed) {
  const auto message = [](const Matrix& channels, Estimator estimator) {
    const StackView view{
        {channels.data(), static_cast<std::size_t>(channels.size())}, 1, channels.rows(), channels.cols()};
    return message_of([&] { covariance(view, {.estimator = estimator}); });
  };
  Matrix channels = normal_samples(4, Eigen::VectorXd::Ones(50), 1);
  Matrix constant = channels;
  constant.row(2).setConstant(0.1);
  for (const Estimator estimator : {Estimator::sample, Estimator::correlation, Estimator::mestre})
    EXPECT_SAYS(message(constant, estimator), "feature 2 is constant: use the estimator oas");
  EXPECT_EQ(message(constant, Estimator::oas), "");
  Matrix dependent = channels;
  dependent.row(3) = -dependent.topRows(3).colwise().sum();
  EXPECT_SAYS(message(dependent, Estimator::sample), "feature 3 is a linear combination of the features before it");
  EXPECT_SAYS(message(Matrix::Constant(4, 50, 0.1), Estimator::oas), "trial 0: all features are constant");
}

TEST(Covariance, InvalidInputIsRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  Matrix samples = mixed_samples(20, 3, 1);
  EXPECT_SAYS(message_of([&] { covariance(Matrix(1, 3)); }), "a covariance needs at least 2 samples, not 1");
  EXPECT_SAYS(message_of([&] { covariance(Matrix(5, 0)); }), "no features");
  for (const double bad : {nan, infinity, -infinity}) {
    samples(7, 1) = bad;
    EXPECT_SAYS(message_of([&] { covariance(samples); }), "feature 1 contains NaN or Inf");
  }
  samples(7, 1) = 1e200;
  EXPECT_SAYS(message_of([&] { covariance(samples); }), "their squares overflow");
  const std::vector<double> values(30, 1.0);
  EXPECT_SAYS(message_of([&] { covariance(StackView{values, 2, 3, 4}); }), "30 values do not form 2 trials");
  EXPECT_SAYS(message_of([&] { covariance(StackView{values, 0, 3, 10}); }), "no trials");
  EXPECT_SAYS(message_of([&] {
                covariance(StackView{values, 10, 3, 1});
              }),
              "a covariance needs at least 2 samples, not 1");
  EXPECT_SAYS(message_of([&] { covariance(StackView{values, Index{1} << 62, 30, 4}); }), "do not form");
  EXPECT_SAYS(message_of([&] { covariance(StackView{values, 1, 3, 10}, {.threads = -1}); }), "threads");
}

TEST(Estimators, AreParsedByName) {
  for (const Estimator estimator : all_estimators) EXPECT_EQ(parse_estimator(name(estimator)), estimator);
  for (const Estimator estimator : all_estimators) EXPECT_SAYS(estimator_choices(), std::string(name(estimator)));
  for (const auto& [text, estimator] : {std::pair{"scm", Estimator::sample},
                                        {"cov", Estimator::sample},
                                        {"lwf", Estimator::ledoit_wolf},
                                        {"ledoit_wolf", Estimator::ledoit_wolf},
                                        {"corr", Estimator::correlation},
                                        {"efron_morris", Estimator::efron_morris},
                                        {"ben-david-davidson", Estimator::ben_david}})
    EXPECT_EQ(parse_estimator(text), estimator);
  for (const char* const bad : {"", "OAS", "best"})
    EXPECT_SAYS(message_of([&] { parse_estimator(bad); }),
                std::string("use one of sample (scm, cov), ledoit-wolf (lwf, lw), oas, correlation (corr), mestre"));
}

}  // namespace
}  // namespace dsk::test
