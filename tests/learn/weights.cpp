#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "support/message.hpp"

namespace dsk::test {
namespace {

/// Three classes of different sizes, with whole numbers as weights.
Dataset weighted_data() {
  const Dataset drawn = wishart_classes({.classes = 3, .per_class = 6, .dim = 4, .degrees = 9, .tau = 0.6, .seed = 5});
  const Dataset data = drawn.select(std::vector<Index>{0, 1, 2, 3, 4, 6, 7, 8, 12, 13, 14, 15});
  std::vector<double> weights;
  for (Index i = 0; i < data.size(); ++i) weights.push_back(static_cast<double>(1 + i * 5 % 3));
  return Dataset(data.matrices(), data.labels(), {}, weights);
}

/// The same with repeated matrices in place of weights.
Dataset repeated(const Dataset& data) {
  std::vector<Index> positions;
  for (Index i = 0; i < data.size(); ++i)
    positions.insert(positions.end(), static_cast<std::size_t>(data.weights()[static_cast<std::size_t>(i)]), i);
  return Dataset(data.matrices(), data.labels()).select(positions);
}

LearnedKernel some_kernel(double first_slope = 1.3) {
  const Index dim = 4;
  Eigen::VectorXd alpha = Eigen::VectorXd::LinSpaced(dim, 0.8, 1.2);
  alpha[0] = first_slope;
  return LearnedKernel({.kind = Adjustment::power,
                        .alpha = alpha,
                        .beta = Eigen::VectorXd::Zero(dim),
                        .centre = Eigen::VectorXd::Zero(dim)},
                       0.9);
}

TEST(WeightedCriterion, IsThatOfRepeatedMatrices) {
  const Dataset data = weighted_data(), copies = repeated(data);
  for (const Criterion criterion : {Criterion::alignment, Criterion::separability, Criterion::centred,
                                    Criterion::radius_margin, Criterion::trace_margin}) {
    SCOPED_TRACE(name(criterion));
    const CriterionFunction::Gradient ours = CriterionFunction(criterion, data)(some_kernel());
    const CriterionFunction::Gradient expected = CriterionFunction(criterion, copies)(some_kernel());
    constexpr double rounding = 1e-12;
    EXPECT_NEAR(ours.value, expected.value, rounding * std::abs(expected.value));
    EXPECT_LT((ours.by_slope - expected.by_slope).norm(), 100 * rounding * expected.by_slope.norm());
    EXPECT_LT((ours.by_intercept - expected.by_intercept).norm(), 100 * rounding * expected.by_intercept.norm());
    EXPECT_NEAR(ours.by_log_c, expected.by_log_c, 100 * rounding * std::abs(expected.by_log_c));
    const std::vector<double> thetas{0.5, 2}, cs{0.3, 1};
    EXPECT_TRUE(CriterionFunction(criterion, data)
                    .plain_values(thetas, cs)
                    .isApprox(CriterionFunction(criterion, copies).plain_values(thetas, cs), rounding));
  }
}

TEST(WeightedCriterion, WithoutDifferencesIsThatWithoutWeights) {
  const Dataset data = weighted_data();
  const Dataset plain(data.matrices(), data.labels());
  const Dataset equal(data.matrices(), data.labels(), {}, std::vector<double>(12, 0.3));
  for (const Criterion criterion :
       {Criterion::alignment, Criterion::separability, Criterion::centred, Criterion::neighbour}) {
    SCOPED_TRACE(name(criterion));
    const CriterionFunction::Gradient ours = CriterionFunction(criterion, equal)(some_kernel());
    const CriterionFunction::Gradient expected = CriterionFunction(criterion, plain)(some_kernel());
    EXPECT_NEAR(ours.value, expected.value, 1e-12 * std::abs(expected.value));
    EXPECT_LT((ours.by_slope - expected.by_slope).norm(), 1e-10 * expected.by_slope.norm());
  }
}

TEST(WeightedCriterion, HasTheGradientOfItsDifferences) {
  const Dataset data = weighted_data();
  for (const Criterion criterion : {Criterion::alignment, Criterion::separability, Criterion::centred,
                                    Criterion::neighbour, Criterion::radius_margin, Criterion::trace_margin}) {
    SCOPED_TRACE(name(criterion));
    const CriterionFunction function(criterion, data);
    constexpr double step = 1e-5;
    const double difference =
        (function(some_kernel(1.3 + step)).value - function(some_kernel(1.3 - step)).value) / (2 * step);
    const CriterionFunction::Gradient found = function(some_kernel());
    EXPECT_NEAR(found.by_slope[0], difference, 1e-7 * (std::abs(difference) + std::abs(found.value)));
  }
}

TEST(WeightedCriterion, OfNeighboursIsTheWeightedMeanOfLogShares) {
  const Dataset data = weighted_data();
  const LearnedKernel kernel = LearnedKernel::plain(4, 0.7);
  const Matrix values = kernel_matrix(kernel, data.matrices());
  long double sum = 0, whole = 0;
  for (Index i = 0; i < data.size(); ++i) {
    long double same = 0, all = 0;
    for (Index j = 0; j < data.size(); ++j) {
      if (j == i) continue;
      const long double term = static_cast<long double>(data.weights()[static_cast<std::size_t>(j)]) * values(i, j);
      all += term;
      if (data.labels()[i] == data.labels()[j]) same += term;
    }
    const long double weight = data.weights()[static_cast<std::size_t>(i)];
    sum += weight * std::log(same / all);
    whole += weight;
  }
  const double theta = 0.7, c = 1;
  const Matrix found = CriterionFunction(Criterion::neighbour, data).plain_values({&theta, 1}, {&c, 1});
  EXPECT_NEAR(found(0, 0), static_cast<double>(sum / whole), 1e-12);
}

}  // namespace
}  // namespace dsk::test
