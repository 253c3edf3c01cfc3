#include <dsk/mean.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/message.hpp"
#include "support/oracle_mean.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

MatrixStack stack_of(const SpdBatch& x) {
  return {x.size(), x.dim(), {x.values().begin(), x.values().end()}};
}

Real function_oracle(MatrixFunction::Kind kind, Real value, double exponent) {
  switch (kind) {
    case MatrixFunction::Kind::exponential:
      return std::exp(value);
    case MatrixFunction::Kind::inverse_root:
      return 1 / std::sqrt(value);
    case MatrixFunction::Kind::logarithm:
      return std::log(value);
    case MatrixFunction::Kind::power:
      return std::pow(value, static_cast<Real>(exponent));
    case MatrixFunction::Kind::root:
      return std::sqrt(value);
  }
  return 0;
}

TEST(MatrixFunction, AgreesWithTheOracle) {
  for (const char* const name : {"exponential", "inverse_root", "logarithm", "power", "root"})
    for (const Index dim : {1, 2, 5, 17})
      for (const Index count : {1, 3, 11})
        for (const double condition : {1.0, 1e3}) {
          const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 4});
          const MatrixFunction function = MatrixFunction::parse(name, 0.3);
          const MatrixStack found = matrix_function(stack_of(x), function);
          for (Index i = 0; i < count; ++i) {
            const OracleMatrix expected = apply(OracleMatrix::of(x[i]), [&](Real value) {
              return function_oracle(function.kind, value, function.exponent);
            });
            for (Index r = 0; r < dim; ++r)
              for (Index c = 0; c < dim; ++c)
                EXPECT_NEAR(found[i](r, c), static_cast<double>(expected(r, c)),
                            tolerance(dim, condition * condition, found[i].cwiseAbs().maxCoeff()))
                    << name << " " << dim;
          }
        }
}

TEST(MatrixFunction, ExponentialTakesEigenvaluesOfAnySign) {
  for (const double shift : {-3.0, -0.5, 0.5}) {
    MatrixStack x = stack_of(random_spd({.count = 9, .dim = 6, .condition = 10}));
    MatrixStack shifted = x;
    for (Index i = 0; i < x.count; ++i)
      for (Index k = 0; k < x.dim; ++k) shifted.values[static_cast<std::size_t>((i * x.dim + k) * x.dim + k)] += shift;
    const MatrixFunction exponential{MatrixFunction::Kind::exponential};
    const MatrixStack plain = matrix_function(std::move(x), exponential),
                      found = matrix_function(std::move(shifted), exponential);
    for (Index i = 0; i < found.count; ++i)
      EXPECT_LT((found[i] - std::exp(shift) * plain[i]).cwiseAbs().maxCoeff(),
                tolerance(6, 10, plain[i].cwiseAbs().maxCoeff()));
  }
}

TEST(MatrixFunction, GivesTheSameBitsForAnyNumberOfThreads) {
  const SpdBatch x = random_spd({.count = 300, .dim = 12, .condition = 100});
  EXPECT_EQ(matrix_function(stack_of(x), {}, 1).values, matrix_function(stack_of(x), {}, 3).values);
}

TEST(MatrixFunction, GivesAMatrixTheSameBitsAloneAndInAStack) {
  for (const Index dim : {1, 7, 40}) {
    const SpdBatch x = random_spd({.count = 11, .dim = dim, .condition = 100});
    const MatrixStack all = matrix_function(stack_of(x), {});
    const std::vector<Index> ninth{9};
    EXPECT_EQ(matrix_function(stack_of(x.select(ninth)), {})[0], all[9]);
  }
}

TEST(MatrixFunction, RefusesWhatHasNone) {
  const MatrixStack semidefinite{1, 2, {1, 0, 0, 0}}, asymmetric{1, 2, {1, 0.5, 0, 1}},
      undefined{1, 2, {1, NAN, NAN, 1}};
  const auto message = [](const MatrixStack& stack) {
    return message_of([&] { return matrix_function(MatrixStack(stack), {}); });
  };
  EXPECT_THAT(message(semidefinite), HasSubstr("matrix 0 is not positive definite"));
  EXPECT_THAT(message(asymmetric), HasSubstr("not symmetric"));
  EXPECT_THAT(message(undefined), HasSubstr("NaN"));
  EXPECT_THAT(message_of([] { return MatrixFunction::parse("sine"); }), HasSubstr("inverse_root"));
}

TEST(TangentRows, AreThoseOfTheTangentSpace) {
  for (const Index dim : {1, 4, 20}) {
    const SpdBatch x = random_spd({.count = 10, .dim = dim, .condition = 100});
    const Matrix reference = mean(x).matrix;
    const Matrix expected = TangentSpace(reference).map(x), found = tangent_rows(reference, stack_of(x));
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance(dim, 1e4, expected.cwiseAbs().maxCoeff()));
  }
  EXPECT_THAT(message_of([] {
                return tangent_rows(Matrix::Identity(3, 3), {1, 2, {1, 0, 0, 1}});
              }),
              HasSubstr("do not fit"));
  EXPECT_THAT(message_of([] {
                return tangent_rows(Matrix::Identity(2, 2), {1, 2, {1, 0, 0, -1}});
              }),
              HasSubstr("not positive definite"));
}

TEST(FixedPointMean, ReachesTheMean) {
  for (const Metric metric : {Metric::airm, Metric::stein})
    for (const Index dim : {1, 3, 12}) {
      const SpdBatch x = random_spd({.count = 14, .dim = dim, .condition = 10});
      std::vector<double> weights(14, 1);
      weights[3] = 0;
      weights[4] = 2.5;
      const Matrix expected = mean(x, {.metric = metric, .weights = weights}).matrix;
      const Mean found =
          fixed_point_mean(x, {.metric = metric, .weights = weights, .tolerance = 1e-12, .max_iterations = 200});
      EXPECT_EQ(found.stop, Mean::Stop::converged);
      EXPECT_LE(found.iterations, 200);
      EXPECT_LT((found.matrix - expected).cwiseAbs().maxCoeff(), 1e-10);
      const Mean again = fixed_point_mean(
          x, {.metric = metric, .weights = weights, .start = expected, .tolerance = 1e-9, .max_iterations = 2});
      EXPECT_EQ(again.stop, Mean::Stop::converged);
    }
}

TEST(FixedPointMean, TakesTheStatedSteps) {
  // Of numbers, one step of airm is the geometric mean, and one of stein a harmonic mean of averages.
  const std::vector<double> values{1, 4};
  const SpdBatch x(values, 2, 1);
  const Mean airm = fixed_point_mean(x, {.max_iterations = 1}),
             stein = fixed_point_mean(x, {.metric = Metric::stein, .max_iterations = 1});
  EXPECT_NEAR(airm.matrix(0, 0), 2, tolerance(1, 1));
  EXPECT_NEAR(stein.matrix(0, 0), 2 / (1 / 1.75 + 1 / 3.25), tolerance(1, 1));
  EXPECT_EQ(airm.stop, Mean::Stop::iteration_limit);
  EXPECT_EQ(stein.stop, Mean::Stop::iteration_limit);
}

TEST(FixedPointMean, StaysAtTheMeanHoweverManyIterations) {
  const SpdBatch x = random_spd({.count = 5, .dim = 3, .condition = 4});
  const Matrix found = fixed_point_mean(x, {.tolerance = 1e-15, .max_iterations = 500}).matrix;
  const Matrix expected = mean(x).matrix;
  // At most about 80 steps are above rounding.
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance(3, 4));
}

TEST(FixedPointMean, RefusesOptionsThatDoNotFit) {
  const SpdBatch x = random_spd({.count = 3, .dim = 2});
  EXPECT_THAT(message_of([&] { return fixed_point_mean(x, {.metric = Metric::euclidean}); }),
              HasSubstr("needs no iterations"));
  EXPECT_THAT(message_of([&] { return fixed_point_mean(x, {.start = Matrix::Identity(3, 3)}); }), HasSubstr("(3, 3)"));
  EXPECT_THAT(message_of([&] { return fixed_point_mean(x, {.weights = {1}}); }), HasSubstr("weights"));
  EXPECT_THAT(message_of([&] { return fixed_point_mean(x, {.max_iterations = 0}); }), HasSubstr("max_iterations"));
}

}  // namespace
}  // namespace dsk::test
