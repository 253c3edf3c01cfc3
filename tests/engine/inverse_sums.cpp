#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <random>

#include "engine/cpu/pair_sums.hpp"
#include "support/message.hpp"
#include "support/oracle.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

Matrix random_weights(Index count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix weights(count, count);
  for (Index i = 0; i < count; ++i)
    for (Index j = i; j < count; ++j) weights(i, j) = weights(j, i) = uniform(random);
  return weights;
}

MatrixStack expected_sums(const SpdBatch& x, const Matrix& weights) {
  MatrixStack sums{x.size(), x.dim(), std::vector<double>(x.values().size())};
  for (Index i = 0; i < x.size(); ++i) {
    OracleMatrix sum(x.dim());
    for (Index j = 0; j < x.size(); ++j) {
      if (i == j) continue;
      const OracleMatrix term = inverse(mean(OracleMatrix::of(x[i]), OracleMatrix::of(x[j])));
      for (Index r = 0; r < x.dim(); ++r)
        for (Index c = 0; c < x.dim(); ++c) sum(r, c) += static_cast<Real>(weights(i, j)) * term(r, c);
    }
    for (Index r = 0; r < x.dim(); ++r)
      for (Index c = 0; c < x.dim(); ++c)
        sums.values[static_cast<std::size_t>((i * x.dim() + r) * x.dim() + c)] = static_cast<double>(sum(r, c));
  }
  return sums;
}

double largest(const MatrixStack& stack) {
  double result = 0;
  for (const double value : stack.values) result = std::max(result, std::abs(value));
  return result;
}

double largest_difference(const MatrixStack& a, const MatrixStack& b) {
  double result = a.values.size() == b.values.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < a.values.size() && k < b.values.size(); ++k)
    result = std::max(result, std::abs(a.values[k] - b.values[k]));
  return result;
}

TEST(InverseSums, MeetTheOracleForAllSizesAndTargets) {
  for (const auto& shape : {std::pair<Index, Index>{1, 3},
                            {2, 1},
                            {21, 2},
                            {19, 3},
                            {9, 4},
                            {21, 5},
                            {10, 6},
                            {10, 7},
                            {17, 8},
                            {11, 9},
                            {9, 13},
                            {9, 16},
                            {12, 18},
                            {5, 31},
                            {4, 43},
                            {3, 100},
                            {3, 150}})
    for (const double condition : {1e1, 1e6}) {
      const Index count = shape.first, dim = shape.second;
      SCOPED_TRACE(testing::Message() << count << " of d = " << dim << ", condition " << condition);
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 8});
      const Matrix weights = random_weights(count);
      const MatrixStack expected = expected_sums(x, weights);
      const double allowed = tolerance(dim, condition, largest(expected));
      on_every_target([&] {
        const MatrixStack dense = engine::inverse_sums(x, weights);
        EXPECT_LE(largest_difference(dense, expected), allowed);
        for (Index i = 0; i < count; ++i) EXPECT_EQ(dense[i], dense[i].transpose());
        std::vector<engine::WeightedPair> pairs;
        for (Index i = 0; i < count; ++i)
          for (Index j = 0; j < i; ++j) pairs.push_back({i, j, weights(i, j)});
        EXPECT_LE(largest_difference(engine::inverse_sums(x, pairs), expected), allowed);
        if (condition > 1e3) return;  // beyond a float's digits
        const MatrixStack single = engine::inverse_sums(x, weights, {.precision = Precision::float32});
        EXPECT_LE(largest_difference(single, expected), tolerance_float32(dim, condition, largest(expected)));
      });
    }
}

TEST(InverseSums, FunctionSeesDivergencesAndKernelValues) {
  // A row of a tile has one group of eight matrices of 75, and three of 300.
  for (const auto& size : {std::pair<Index, Index>{75, 1}, {75, 4}, {300, 6}, {75, 8}, {75, 11}, {75, 25}}) {
    const Index count = size.first, dim = size.second;
    const double theta = 1.5;
    const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 50, .seed = 12});
    const Matrix divergence = PairSweep(x).divergences();
    const Matrix kernel = (-theta * divergence.array()).exp();
    on_every_target([&] {
      Matrix offered = Matrix::Zero(count, count);
      const engine::PairWeights weigh = [&](const engine::PairStrip& strip, std::span<double> weights) {
        for (std::size_t l = 0; l < strip.kernel.size(); ++l) {
          const Index column = strip.first_column + static_cast<Index>(l);
          EXPECT_LT(strip.row, column);
          EXPECT_NEAR(strip.divergence[l], divergence(strip.row, column), tolerance(dim, 50));
          EXPECT_NEAR(strip.kernel[l], kernel(strip.row, column), tolerance(dim, 50));
          offered(strip.row, column) += 1;
          weights[l] = strip.kernel[l];
          weights[strip.kernel.size() + l] = -2 * strip.divergence[l];
        }
      };
      const auto sums = engine::inverse_sums(x, weigh, {.forms = 2, .theta = theta, .options = {.threads = 1}});
      ASSERT_EQ(sums.size(), 2U);
      EXPECT_EQ(offered.sum(), count * (count - 1) / 2);
      EXPECT_EQ(offered.maxCoeff(), 1);
      const MatrixStack first = engine::inverse_sums(x, kernel),
                        second = engine::inverse_sums(x, Matrix(-2 * divergence));
      EXPECT_LE(largest_difference(sums[0], first), tolerance(dim, 50, largest(first)));
      EXPECT_LE(largest_difference(sums[1], second), tolerance(dim, 50, largest(second)));
      const engine::PairWeights one_form = [](const engine::PairStrip& strip, std::span<double> weights) {
        std::copy(strip.kernel.begin(), strip.kernel.end(), weights.begin());
      };
      const auto alone = engine::inverse_sums(x, one_form, {.theta = theta, .options = {.threads = 1}});
      EXPECT_LE(largest_difference(alone[0], first), tolerance(dim, 50, largest(first)));
    });
  }
}

TEST(InverseSums, SkipPairsWithoutWeight) {
  const Index count = 300, dim = 5;
  const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 50, .seed = 3});
  Matrix weights = random_weights(count);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < count; ++j)
      if ((i / 10 + j / 10) % 3 != 0) weights(i, j) = 0;
  const MatrixStack expected = expected_sums(x, weights);
  on_every_target([&] {
    EXPECT_LE(largest_difference(engine::inverse_sums(x, weights), expected), tolerance(dim, 50, largest(expected)));
  });
}

TEST(InverseSums, SeeTheDivergenceOfTinyMatricesAmongLargeOnes) {
  // The product of the pivots of the tiny ones' mean is below the smallest double.
  for (const Index dim : {3, 6, 8}) {
    const SpdBatch ordinary = random_spd({.count = 3, .dim = dim, .condition = 50, .seed = 3});
    std::vector<double> values(ordinary.values().begin(), ordinary.values().end());
    for (std::size_t k = static_cast<std::size_t>(dim * dim); k < values.size(); ++k) values[k] *= 1e-130;
    const SpdBatch x(values, 3, dim);
    const double expected = PairSweep(ordinary).divergences()(1, 2);
    on_every_target([&] {
      double found = 0;
      const engine::PairWeights weigh = [&](const engine::PairStrip& strip, std::span<double>) {
        for (std::size_t l = 0; l < strip.divergence.size(); ++l)
          if (strip.row == 1 && strip.first_column + static_cast<Index>(l) == 2) found = strip.divergence[l];
      };
      engine::inverse_sums(x, weigh, {.options = {.threads = 1}});
      EXPECT_NEAR(found, expected, tolerance(dim, 50, 1000));
    });
  }
}

TEST(Inverses, MeetTheOracleForAllSizesAndTargets) {
  for (const Index dim : {1, 2, 5, 6, 8, 9, 16, 33})
    for (const double condition : {1e1, 1e6}) {
      const SpdBatch x = random_spd({.count = 19, .dim = dim, .condition = condition, .scale = 1e-6, .seed = 4});
      on_every_target([&] {
        const MatrixStack found = engine::inverses(x, 1);
        for (Index i = 0; i < x.size(); ++i) {
          const OracleMatrix expected = inverse(OracleMatrix::of(x[i]));
          double error = 0, size = 0;
          for (Index r = 0; r < dim; ++r)
            for (Index c = 0; c < dim; ++c) {
              error = std::max(error, std::abs(found[i](r, c) - static_cast<double>(expected(r, c))));
              size = std::max(size, std::abs(found[i](r, c)));
            }
          EXPECT_LE(error, tolerance(dim, condition, size)) << "d = " << dim << ", condition " << condition;
          EXPECT_EQ(found[i], found[i].transpose());
        }
      });
    }
}

TEST(Inverses, AreTheSameForAnyNumberOfThreadsAndRefuseWhatHasNone) {
  const SpdBatch x = random_spd({.count = 3000, .dim = 12, .condition = 100});
  EXPECT_EQ(engine::inverses(x, 1).values, engine::inverses(x, 3).values);
  const SpdBatch indefinite = detail::trust({2, 2, {1, 0, 0, 1, 1, 2, 2, 1}});
  EXPECT_EQ(message_of([&] { engine::inverses(indefinite, 1); }),
            "one of the matrices 0 to 1 is not numerically positive definite");
}

TEST(InverseSums, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const auto& [count, dim] : {std::pair<Index, Index>{500, 5}, {1100, 3}, {150, 20}}) {
    const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 100});
    const Matrix weights = random_weights(count);
    std::vector<engine::WeightedPair> pairs;
    for (Index i = 0; i < count; ++i)
      for (Index j = i + 1; j < count; j += 3) pairs.push_back({i, j, weights(i, j)});
    const MatrixStack dense = engine::inverse_sums(x, weights, {.threads = 1}),
                      listed = engine::inverse_sums(x, pairs, {.threads = 1});
    for (const int threads : {2, 7}) {
      EXPECT_EQ(engine::inverse_sums(x, weights, {.threads = threads}).values, dense.values);
      EXPECT_EQ(engine::inverse_sums(x, pairs, {.threads = threads}).values, listed.values);
    }
  }
}

TEST(InverseSums, ComeBackInTheUnitsOfTheData) {
  const SpdBatch x = random_spd({.count = 12, .dim = 6, .scale = 1e-12, .seed = 1});
  const Matrix weights = random_weights(12);
  const MatrixStack expected = expected_sums(x, weights);
  EXPECT_LE(largest_difference(engine::inverse_sums(x, weights), expected), tolerance(6, 10, largest(expected)));
}

TEST(InverseSums, RefuseWhatDoesNotFit) {
  const SpdBatch x = random_spd({.count = 3, .dim = 2});
  EXPECT_EQ(message_of([&] { engine::inverse_sums(x, Matrix(2, 3)); }), "3 matrices need 3 x 3 weights, not 2 x 3");
  const std::vector<engine::WeightedPair> outside{{0, 1, 1.0}, {1, 3, 1.0}};
  EXPECT_EQ(message_of([&] { engine::inverse_sums(x, outside); }),
            "pair 1 is (1, 3), but must be two different matrices of 3");
  const engine::PairWeights none = [](const engine::PairStrip&, std::span<double>) {};
  for (const Index forms : {0, 99})
    EXPECT_EQ(message_of([&] { engine::inverse_sums(x, none, {.forms = forms}); }),
              "inverse sums take 1 to 4 forms of weights, not " + std::to_string(forms));
}

}  // namespace
}  // namespace dsk::test
