#include <dsk/mean.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/message.hpp"
#include "support/oracle_mean.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

constexpr double mean_zeta = 0.5;

/// Largest difference, relative to the largest entry.
double relative_difference(const Matrix& found, const Matrix& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

Matrix as_matrix(const OracleMatrix& x) {
  Matrix result(x.dim(), x.dim());
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c) result(r, c) = static_cast<double>(x(r, c));
  return result;
}

SpdBatch scaled_by(const SpdBatch& x, double scale) {
  MatrixStack stack{x.size(), x.dim(), {x.values().begin(), x.values().end()}};
  for (double& value : stack.values) value *= scale;
  return SpdBatch(std::move(stack));
}

SpdBatch congruent(const SpdBatch& x, const Matrix& mix) {
  MatrixStack stack{x.size(), x.dim(), {}};
  for (Index i = 0; i < x.size(); ++i) {
    const Matrix y = mix * x[i] * mix.transpose();
    stack.values.insert(stack.values.end(), y.data(), y.data() + y.size());
  }
  return SpdBatch(std::move(stack));
}

std::vector<Metric> metrics_with_a_mean() {
  std::vector<Metric> result;
  for (const Metric metric : all_metrics())
    if (has_mean(metric)) result.push_back(metric);
  return result;
}

std::vector<double> uneven_weights(Index count) {
  std::vector<double> weights;
  for (Index i = 0; i < count; ++i) weights.push_back(1 + 0.7 * std::sin(static_cast<double>(i)));
  return weights;
}

Matrix closed_form_oracle(Metric metric, const SpdBatch& x, const std::vector<double>& weights) {
  const auto same = [](Real value) { return value; };
  const auto reciprocal = [](Real value) { return 1 / value; };
  switch (metric) {
    case Metric::cholesky:
      return as_matrix(cholesky_mean(x, weights));
    case Metric::euclidean:
      return as_matrix(spectral_mean(x, weights, same, same));
    case Metric::harmonic:
      return as_matrix(spectral_mean(x, weights, reciprocal, reciprocal));
    case Metric::logeuclidean:
      return as_matrix(spectral_mean(
          x, weights, [](Real value) { return std::log(value); }, [](Real value) { return std::exp(value); }));
    default:
      return as_matrix(spectral_mean(
          x, weights, [](Real value) { return std::pow(value, Real{mean_zeta}); },
          [](Real value) { return std::pow(value, 1 / Real{mean_zeta}); }));
  }
}

/// The sum of weighted divergences d(X_i, M), or of squared distances.
Real spread_around(Metric metric, const SpdBatch& x, const std::vector<double>& weights, const OracleMatrix& mean) {
  const RealVector w = normalised(weights, x.size());
  Real sum = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const OracleMatrix one = OracleMatrix::of(x[i]);
    Real value = 0;
    if (metric != Metric::kullback_right && metric != Metric::wasserstein) value += kullback_oracle(one, mean);
    if (metric != Metric::kullback && metric != Metric::wasserstein) value += kullback_oracle(mean, one);
    if (metric == Metric::wasserstein) value = wasserstein_squared(one, mean);
    sum += w[static_cast<std::size_t>(i)] * value;
  }
  return sum;
}

TEST(Mean, OfDivergencesIsWhereTheirSumIsSmallest) {
  for (const Index dim : {1, 3, 6})
    for (const double condition : {1e1, 1e3}) {
      const SpdBatch x = random_spd({.count = 7, .dim = dim, .condition = condition, .seed = 4});
      const std::vector<double> weights = uneven_weights(7);
      for (const Metric metric :
           {Metric::kullback, Metric::kullback_right, Metric::kullback_sym, Metric::wasserstein}) {
        const Mean found = mean(x, {.metric = metric, .weights = weights});
        EXPECT_NE(found.stop, Mean::Stop::iteration_limit) << name(metric);
        const OracleMatrix at = OracleMatrix::of(found.matrix);
        const Real least = spread_around(metric, x, weights, at);
        // The sum is flat at its minimum: a step of 1e-3 changes it by about 1e-6.
        for (const Real step : {1e-3L, -1e-3L})
          for (Index k = 0; k < dim; ++k) {
            OracleMatrix beside = at;
            beside(k, 0) *= 1 + step;
            if (k > 0) beside(0, k) *= 1 + step;
            EXPECT_LT(least, spread_around(metric, x, weights, beside))
                << name(metric) << " " << dim << " " << condition;
          }
      }
    }
}

TEST(Mean, OfLogCholeskyIsThatOfTheFactors) {
  const SpdBatch x = random_spd({.count = 5, .dim = 4, .condition = 100});
  const RealVector w = normalised(uneven_weights(5), 5);
  OracleMatrix factor(4);
  for (Index i = 0; i < 5; ++i) {
    OracleMatrix lower = cholesky(OracleMatrix::of(x[i]));
    for (long k = 0; k < 4; ++k) lower(k, k) = std::log(lower(k, k));
    add(factor, w[static_cast<std::size_t>(i)], lower);
  }
  OracleMatrix expected(4);
  for (long k = 0; k < 4; ++k) factor(k, k) = std::exp(factor(k, k));
  for (long r = 0; r < 4; ++r)
    for (long c = 0; c < 4; ++c)
      for (long k = 0; k < 4; ++k) expected(r, c) += factor(r, k) * factor(c, k);
  const Mean found = mean(x, {.metric = Metric::logcholesky, .weights = uneven_weights(5)});
  EXPECT_LT(relative_difference(found.matrix, as_matrix(expected)), tolerance(4, 100));
}

TEST(Mean, ByThompsonIsRefused) {
  EXPECT_EQ(message_of([] { mean(random_spd({.dim = 3}), {.metric = Metric::thompson}); }),
            "the metric thompson has no mean; use another metric");
}

TEST(Mean, SolvesItsEquation) {
  for (const Index dim : {1, 2, 3, 5, 8, 9, 16, 33, 64})
    for (const double condition : {1.0, 1e2, 1e6, 1e12}) {
      if (dim > 20 && condition > 1e2) continue;
      const Index count = dim > 20 ? 3 : 11;
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 3});
      for (const std::vector<double>& weights : {std::vector<double>{}, uneven_weights(count)}) {
        const Mean airm = mean(x, {.metric = Metric::airm, .weights = weights});
        EXPECT_EQ(airm.stop, Mean::Stop::converged) << dim << " " << condition << " " << airm.step;
        EXPECT_LT(log_residual(x, weights, airm.matrix), tolerance(dim, condition)) << dim << " " << condition;
        const Mean stein = mean(x, {.metric = Metric::stein, .weights = weights});
        EXPECT_EQ(stein.stop, Mean::Stop::converged) << dim << " " << condition << " " << stein.step;
        EXPECT_LT(stein_residual(x, weights, stein.matrix), tolerance(dim, condition)) << dim << " " << condition;
      }
    }
}

TEST(Mean, OfOtherMetricsIsTheClosedForm) {
  for (const Index dim : {1, 2, 5, 16, 64})
    for (const double condition : {1.0, 1e2, 1e6, 1e12}) {
      const Index count = dim > 20 ? 3 : 7;
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 5});
      for (const Metric metric :
           {Metric::cholesky, Metric::euclidean, Metric::harmonic, Metric::logeuclidean, Metric::powereuclidean}) {
        const Mean found = mean(x, {.metric = metric, .zeta = mean_zeta, .weights = uneven_weights(count)});
        EXPECT_EQ(found.stop, Mean::Stop::closed_form);
        EXPECT_EQ(found.iterations, 0);
        EXPECT_LT(relative_difference(found.matrix, closed_form_oracle(metric, x, uneven_weights(count))),
                  tolerance(dim, condition))
            << name(metric) << " " << dim << " " << condition;
      }
    }
}

TEST(Mean, OfTwoMatricesIsTheirGeometricMean) {
  const SpdBatch x = random_spd({.count = 2, .dim = 6, .condition = 1e4});
  const OracleMatrix a = OracleMatrix::of(x[0]), root = inverse_root(a), whole = inverse(root);
  const OracleMatrix between =
      apply(product(root, product(OracleMatrix::of(x[1]), root)), [](Real value) { return std::sqrt(value); });
  const Matrix expected = as_matrix(product(whole, product(between, whole)));
  for (const Metric metric : {Metric::airm, Metric::stein})
    EXPECT_LT(relative_difference(mean(x, {.metric = metric}).matrix, expected), tolerance(6, 1e4)) << name(metric);
}

TEST(Mean, OfEqualMatricesIsTheMatrix) {
  for (const Index dim : {1, 5, 20})
    for (const double condition : {1.0, 1e6}) {
      const SpdBatch one = random_spd({.count = 1, .dim = dim, .condition = condition});
      for (const Metric metric : metrics_with_a_mean())
        for (const Index repeats : {1, 5}) {
          const SpdBatch x = one.select(std::vector<Index>(static_cast<std::size_t>(repeats), 0));
          EXPECT_LT(relative_difference(mean(x, {.metric = metric}).matrix, one[0]), tolerance(dim, condition))
              << name(metric);
        }
    }
}

TEST(Mean, ScalesWithTheMatrices) {
  const SpdBatch x = random_spd({.count = 20, .dim = 7, .condition = 50});
  for (const Metric metric : metrics_with_a_mean()) {
    const Matrix expected = mean(x, {.metric = metric}).matrix;
    for (const double scale : {1e-12, 1e-6, 3.0, 1e6, 1e12}) {
      const Matrix found = mean(scaled_by(x, scale), {.metric = metric}).matrix / scale;
      EXPECT_LT(relative_difference(found, expected), 1e-12) << name(metric) << " " << scale;
    }
  }
}

TEST(Mean, WorksInUnitsFarApart) {
  // Coordinates in units 1e60 apart from each other, and matrices that are 1e20 apart.
  const SpdBatch plain = random_spd({.count = 6, .dim = 4, .condition = 10});
  MatrixStack stack{6, 4, {plain.values().begin(), plain.values().end()}};
  const double units[] = {1e-30, 1, 1e30, 1e5};
  for (Index i = 0; i < 6; ++i)
    for (Index r = 0; r < 4; ++r)
      for (Index c = 0; c < 4; ++c) stack.values[static_cast<std::size_t>(i * 16 + r * 4 + c)] *= units[r] * units[c];
  const SpdBatch x(std::move(stack));
  for (const Metric metric : {Metric::airm, Metric::stein}) {
    const Matrix expected = mean(plain, {.metric = metric}).matrix;
    Matrix found = mean(x, {.metric = metric}).matrix;
    for (Index r = 0; r < 4; ++r)
      for (Index c = 0; c < 4; ++c) found(r, c) = found(r, c) / units[r] / units[c];
    EXPECT_LT(relative_difference(found, expected), 1e-12) << name(metric);
  }
  for (const double scale : {0x1p-990, 0x1p498})
    for (const Metric metric : {Metric::airm, Metric::stein, Metric::logeuclidean})
      EXPECT_LT(relative_difference(mean(scaled_by(plain, scale), {.metric = metric}).matrix / scale,
                                    mean(plain, {.metric = metric}).matrix),
                1e-11)
          << name(metric);
}

TEST(Mean, OfAirmAndSteinFollowsCongruences) {
  for (const double condition : {10.0, 1e3}) {
    const SpdBatch x = random_spd({.count = 15, .dim = 6, .condition = condition});
    const Matrix mix = Matrix::Random(6, 6) + 3 * Matrix::Identity(6, 6);
    const SpdBatch y = congruent(x, mix);
    for (const Metric metric : {Metric::airm, Metric::stein}) {
      const Matrix expected = mix * mean(x, {.metric = metric}).matrix * mix.transpose();
      EXPECT_LT(relative_difference(mean(y, {.metric = metric}).matrix, expected), 1e-12 * condition) << name(metric);
    }
  }
}

TEST(Mean, DoesNotDependOnTheOrderOfMatrices) {
  const SpdBatch x = random_spd({.count = 30, .dim = 5, .condition = 50});
  std::vector<Index> order(30);
  std::iota(order.begin(), order.end(), Index{0});
  std::reverse(order.begin(), order.begin() + 17);
  for (const Metric metric : metrics_with_a_mean())
    EXPECT_LT(relative_difference(mean(x.select(order), {.metric = metric}).matrix, mean(x, {.metric = metric}).matrix),
              1e-12)
        << name(metric);
}

TEST(Mean, DoesNotDependOnThreads) {
  for (const Index dim : {3, 20})
    for (const Index count : {1, 100, 600}) {
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 100});
      for (const Metric metric : metrics_with_a_mean()) {
        const Matrix one = mean(x, {.metric = metric, .threads = 1}).matrix;
        for (const int threads : {2, 5}) EXPECT_EQ(mean(x, {.metric = metric, .threads = threads}).matrix, one);
      }
    }
}

TEST(Mean, TakesIntegerWeightsAsRepetitions) {
  const SpdBatch x = random_spd({.count = 4, .dim = 5, .condition = 100});
  const SpdBatch repeated = x.select(std::vector<Index>{0, 0, 0, 2, 3, 3});
  for (const Metric metric : metrics_with_a_mean()) {
    const Matrix expected = mean(repeated, {.metric = metric}).matrix;
    for (const double unit : {1.0, 1e-200, 1e307}) {
      const std::vector<double> weights{3 * unit, 0, unit, 2 * unit};
      EXPECT_LT(relative_difference(mean(x, {.metric = metric, .weights = weights}).matrix, expected), 1e-12)
          << name(metric) << " " << unit;
    }
  }
}

TEST(Mean, IsAsExactAsAskedFor) {
  for (const Index dim : {2, 7, 20})
    for (const double condition : {10.0, 1e4}) {
      const SpdBatch x = random_spd({.count = 40, .dim = dim, .condition = condition});
      for (const Metric metric : {Metric::airm, Metric::stein}) {
        const Matrix exact = mean(x, {.metric = metric, .tolerance = 0}).matrix;
        const Eigen::LLT<Eigen::MatrixXd> factor(exact);
        for (const double asked : {1e-4, 1e-7, 1e-10}) {
          const Mean found = mean(x, {.metric = metric, .tolerance = asked});
          EXPECT_EQ(found.stop, Mean::Stop::converged);
          EXPECT_LE(found.step, asked);
          // In coordinates in which the exact mean is the unit matrix, as the tolerance of a step is meant.
          const Matrix half = factor.matrixL().solve(found.matrix);
          const Matrix apart = factor.matrixL().solve(half.transpose()) - Matrix::Identity(dim, dim);
          EXPECT_LE(apart.norm() / std::sqrt(static_cast<double>(dim)), asked)
              << name(metric) << ", d " << dim << ", condition " << condition;
        }
      }
    }
}

TEST(Mean, SaysWhyItStopped) {
  const SpdBatch x = random_spd({.count = 9, .dim = 5, .condition = 1e4});
  for (const Metric metric : {Metric::airm, Metric::stein}) {
    const Mean few = mean(x, {.metric = metric, .max_iterations = 2});
    EXPECT_EQ(few.stop, Mean::Stop::iteration_limit);
    EXPECT_EQ(few.iterations, 2);
    EXPECT_GT(few.step, 1e-12);
    const Mean rough = mean(x, {.metric = metric, .tolerance = 1e-3}), fine = mean(x, {.metric = metric});
    EXPECT_EQ(rough.stop, Mean::Stop::converged);
    EXPECT_LE(rough.step, 1e-3);
    EXPECT_LT(rough.iterations, fine.iterations);
    EXPECT_LT(relative_difference(rough.matrix, fine.matrix), 1e-2);
  }
  EXPECT_EQ(name(Mean::Stop::closed_form), "closed form");
  EXPECT_EQ(name(Mean::Stop::converged), "converged");
  EXPECT_EQ(name(Mean::Stop::iteration_limit), "iteration limit");
}

TEST(Mean, RefusesBadInput) {
  const SpdBatch x = random_spd({.count = 3, .dim = 2});
  const auto says = [&](const MeanOptions& options) { return message_of([&] { mean(x, options); }); };
  EXPECT_THAT(says({.weights = {1, 2}}), HasSubstr("2 weights do not fit 3 matrices"));
  EXPECT_THAT(says({.weights = {1, -2, 1}}), HasSubstr("weight 1 is -2"));
  EXPECT_THAT(says({.weights = {1, 1, NAN}}), HasSubstr("weight 2 is nan"));
  EXPECT_THAT(says({.weights = {0, 0, 0}}), HasSubstr("all weights are 0"));
  EXPECT_THAT(says({.tolerance = -1}), HasSubstr("tolerance is -1"));
  EXPECT_THAT(says({.max_iterations = 1}), HasSubstr("max_iterations is 1"));
  EXPECT_THAT(says({.metric = Metric::powereuclidean, .zeta = 0}), HasSubstr("zeta 0"));
  EXPECT_THAT(message_of([&] { mean(random_spd({.scale = 1e200}), {.metric = Metric::powereuclidean, .zeta = 2}); }),
              HasSubstr("range of double"));
}

}  // namespace
}  // namespace dsk::test
