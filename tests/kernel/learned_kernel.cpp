#include <dsk/kernel.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <complex>
#include <vector>

#include "support/adjustment_cases.hpp"
#include "support/message.hpp"
#include "support/some_kernel.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

TEST(LearnedKernel, MeetsTheOracle) {
  for (const Index dim : {1, 2, 5, 16})
    for (const Adjustment kind : all_adjustments()) {
      const Dataset data = made_classes({.sizes = {4, 3}, .dim = dim});
      const EigenvalueAdjustment adjustment = uneven_adjustment(dim, kind, 3);
      const std::vector<OracleSpectrum> spectra = oracle_spectra(data.matrices());
      const OracleAdjustment oracle = OracleAdjustment::of(adjustment);
      const OracleMatrix divergences = oracle_divergences(spectra, oracle);
      const double theta = 1 / median(divergences);
      const OracleMatrix expected = oracle_kernel(divergences, theta);
      const LearnedKernel kernel(adjustment, theta);
      const Matrix whole = kernel_matrix(kernel, data.matrices());
      const Matrix cross = kernel_matrix(kernel, data.matrices(), data.matrices());
      const Matrix divergence = pairwise_divergences(kernel, data.matrices());
      const KernelRounding rounding{dim, condition(spectra, oracle), theta};
      for (Index i = 0; i < whole.rows(); ++i)
        for (Index j = 0; j < whole.cols(); ++j) {
          EXPECT_NEAR(whole(i, j), static_cast<double>(expected(i, j)), rounding.tolerance(1));
          EXPECT_NEAR(cross(i, j), static_cast<double>(expected(i, j)), rounding.tolerance(1));
          EXPECT_NEAR(divergence(i, j), static_cast<double>(divergences(i, j)), tolerance(dim, rounding.condition));
        }
    }
}

TEST(LearnedKernel, WithoutAdjustmentIsTheSteinKernel) {
  const SpdBatch x = random_spd({.count = 20, .dim = 5}), y = random_spd({.count = 7, .dim = 5, .seed = 1});
  const LearnedKernel plain = LearnedKernel::plain(5, 2.5);
  EXPECT_EQ(plain.dim(), 5);
  EXPECT_EQ(plain.theta(), 2.5);
  EXPECT_EQ(kernel_matrix(plain, x), kernel_matrix(x, {.theta = 2.5}));
  EXPECT_EQ(kernel_matrix(plain, x, y), kernel_matrix(x, y, {.theta = 2.5}));
  EXPECT_EQ(pairwise_divergences(plain, x, y), pairwise_distances(x, y, {.metric = Metric::stein, .squared = true}));
  EXPECT_EQ(plain.adjust(x).values().data(), x.values().data());
}

TEST(LearnedKernel, IsSymmetricToTheBitWithUnitDiagonal) {
  const SpdBatch x = random_spd({.count = 100, .dim = 6, .condition = 1e3});
  for (const Adjustment kind : all_adjustments()) {
    const LearnedKernel kernel(uneven_adjustment(6, kind), 2.5);
    const Matrix k = kernel_matrix(kernel, x), s = pairwise_divergences(kernel, x);
    EXPECT_EQ(k, k.transpose());
    EXPECT_EQ(s, s.transpose());
    EXPECT_TRUE((k.diagonal().array() == 1).all());
    EXPECT_TRUE((s.diagonal().array() == 0).all());
  }
}

TEST(LearnedKernel, IsPositiveDefiniteForValidTheta) {
  const Dataset data = made_classes({.sizes = {30, 30}, .dim = 5});
  for (const Adjustment kind : all_adjustments())
    for (const double theta : {0.5, 1.0, 1.5, 2.0, 2.3, 10.0}) {
      const Matrix k = kernel_matrix(LearnedKernel(uneven_adjustment(5, kind), theta), data.matrices());
      const Eigen::SelfAdjointEigenSolver<Matrix> solver(k, Eigen::EigenvaluesOnly);
      const KernelRounding rounding{.dim = 5, .theta = theta};
      EXPECT_GE(solver.eigenvalues()(0), -rounding.tolerance(60)) << name(kind) << " " << theta;
    }
}

TEST(LearnedKernel, DoesNotDependOnTheUnitsAroundACentre) {
  const Dataset data = made_classes({.sizes = {10, 10}, .dim = 4});
  EigenvalueAdjustment adjustment = uneven_adjustment(4, Adjustment::affine);
  const Matrix expected = kernel_matrix(LearnedKernel(adjustment, 2), data.matrices());
  adjustment.scale = 1e-6;
  const Matrix found = kernel_matrix(LearnedKernel(adjustment, 2), times(data, 1e-6).matrices());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance(4, 1e3));
}

TEST(LearnedKernel, RefusesMatricesOfAnotherSize) {
  const SpdBatch three = random_spd({.count = 2, .dim = 3}), four = random_spd({.count = 2, .dim = 4});
  const std::string expected = "a kernel for matrices of size 4 cannot take matrices of size 3";
  for (const LearnedKernel& kernel :
       {LearnedKernel::plain(4, 2), LearnedKernel(uneven_adjustment(4, Adjustment::power), 2)}) {
    EXPECT_EQ(message_of([&] { kernel_matrix(kernel, three); }), expected);
    EXPECT_EQ(message_of([&] { kernel_matrix(kernel, four, three); }), expected);
    EXPECT_EQ(message_of([&] { pairwise_divergences(kernel, three, four); }), expected);
  }
}

TEST(LearnedKernel, RefusesBadParameters) {
  for (const double theta :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_NE(message_of([&] { LearnedKernel::plain(3, theta); }), "");
  EXPECT_NE(message_of([] { LearnedKernel::plain(0, 1); }), "");
  EigenvalueAdjustment bad = EigenvalueAdjustment::none(3, Adjustment::coefficient);
  bad.alpha[2] = 0;
  EXPECT_EQ(message_of([&] { LearnedKernel(bad, 1); }), "coefficient 2 is 0, not above 0");
}

TEST(PairTable, IsOfTheLearnedKernelOrThatOfTheOptions) {
  const SpdBatch x = random_spd({.count = 5, .dim = 3}), y = random_spd({.count = 4, .dim = 3, .seed = 1});
  const LearnedKernel learned = some_kernel(3);
  EXPECT_EQ(kernel_table({.x = x, .learned = &learned}).values, kernel_matrix(learned, x));
  EXPECT_EQ(kernel_table({.x = x, .y = &y, .learned = &learned}).values, kernel_matrix(learned, x, y));
  EXPECT_EQ(kernel_table({.x = x, .y = &y}, {.theta = 2}).values, kernel_matrix(x, y, {.theta = 2}));
  EXPECT_EQ(distance_table({.x = x, .y = &y, .learned = &learned}, {.squared = true}).values,
            pairwise_divergences(learned, x, y));
  EXPECT_EQ(distance_table({.x = x}, {.metric = Metric::airm}).values, pairwise_distances(x, {.metric = Metric::airm}));
}

TEST(PairTable, HasTheRangeOfDifferentMatrices) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3}), y = random_spd({.count = 1, .dim = 3, .seed = 1});
  const PairTable table = distance_table({.x = x});
  std::vector<double> sorted;
  for (Index i = 0; i < 4; ++i)
    for (Index j = i + 1; j < 4; ++j) sorted.push_back(table.values(i, j));
  std::sort(sorted.begin(), sorted.end());
  ASSERT_TRUE(table.range);
  EXPECT_EQ(table.range->smallest, sorted.front());
  EXPECT_EQ(table.range->median, sorted[3]);
  EXPECT_EQ(table.range->largest, sorted.back());
  EXPECT_FALSE(distance_table({.x = y}).range);
  EXPECT_EQ(distance_table({.x = x, .y = &y}).range->largest, distance_table({.x = x, .y = &y}).values.maxCoeff());
}

TEST(PairTable, SaysHowAccurateSteinDivergencesAre) {
  const SpdBatch x = random_spd({.count = 3, .dim = 3, .condition = 10});
  const SpdBatch worse = random_spd({.count = 3, .dim = 3, .condition = 1e8, .seed = 1});
  EXPECT_EQ(distance_table({.x = x, .y = &worse}).accuracy->condition, stein_accuracy(worse).condition);
  EXPECT_EQ(kernel_table({.x = worse, .y = &x}).accuracy->error, stein_accuracy(worse).error);
  EXPECT_FALSE(distance_table({.x = x}, {.metric = Metric::airm}).accuracy);
  const PairTable single = distance_table({.x = worse}, {.pairs = {.precision = Precision::float32}});
  ASSERT_FALSE(single.warnings.empty());
  EXPECT_NE(single.warnings[0].find("single precision is for condition numbers below 100000"), std::string::npos)
      << single.warnings[0];
}

TEST(PairTable, OfEmbeddedMatricesIsThatOfTheComplexOnes) {
  const SpdBatch x = random_spd({.count = 3, .dim = 3});
  std::vector<std::complex<double>> entries;
  for (Index i = 0; i < 3; ++i)
    for (Index k = 0; k < 9; ++k) entries.emplace_back(x[i](k / 3, k % 3), 0);
  const SpdBatch embedded(embed_hermitian(entries, 3, 3));
  for (const bool squared : {false, true})
    EXPECT_TRUE(distance_table({.x = embedded, .embedded = true}, {.squared = squared})
                    .values.isApprox(pairwise_distances(x, {.squared = squared}), 1e-12));
  EXPECT_TRUE(kernel_table({.x = embedded, .embedded = true}, {.theta = 1, .allow_indefinite = true})
                  .values.isApprox(kernel_matrix(x, {.theta = 1}), 1e-12));
}

}  // namespace
}  // namespace dsk::test
