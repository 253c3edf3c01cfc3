#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>

#include "spd/shifted_inverses.hpp"
#include "spd/spd.hpp"
#include "support/assorted_matrices.hpp"
#include "support/oracle_eigen.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using detail::SpectralFunction;

constexpr SpectralFunction every_function[] = {SpectralFunction::logarithm, SpectralFunction::root,
                                               SpectralFunction::inverse_root};

Real function_of(SpectralFunction function, Real x) {
  switch (function) {
    case SpectralFunction::logarithm:
      return std::log(x);
    case SpectralFunction::root:
      return std::sqrt(x);
    case SpectralFunction::inverse_root:
      return 1 / std::sqrt(x);
  }
  return 0;
}

TEST(ShiftedInverseRule, IsTheFunctionOnTheWholeInterval) {
  for (const SpectralFunction function : every_function)
    for (double condition = 1; condition <= detail::largest_rule_condition; condition *= 3) {
      const detail::ShiftedInverseRule& rule = detail::shifted_inverse_rule(function, condition);
      ASSERT_LE(rule.shifts.size(), static_cast<std::size_t>(detail::most_shifts));
      for (int step = -50; step <= 50; ++step) {
        const Real x = std::pow(static_cast<Real>(condition), static_cast<Real>(step) / 100);
        Real sum = rule.constant, magnitude = std::abs(rule.constant);
        for (std::size_t s = 0; s < rule.shifts.size(); ++s) {
          EXPECT_GT(rule.shifts[s], 0);
          sum += rule.weights[s] / (x + rule.shifts[s]);
          magnitude += std::abs(rule.weights[s]) / (x + rule.shifts[s]);
        }
        const Real expected = function_of(function, x);
        // The abscissas are as accurate as numbers between 1 and the condition can be.
        EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(expected),
                    tolerance(16, std::sqrt(condition), static_cast<double>(magnitude)))
            << condition << " " << static_cast<double>(x);
      }
    }
}

/// Entries agree with those of the oracle, up to what a change of X by rounding means for f(X).
void expect_function(SpectralFunction function, const SpdBatch& x, double condition) {
  const MatrixStack found = spectral_function(function, x);
  for (Index i = 0; i < x.size(); ++i) {
    const OracleMatrix expected =
        apply(OracleMatrix::of(x[i]), [&](Real value) { return function_of(function, value); });
    const double size = found[i].cwiseAbs().maxCoeff();
    EXPECT_EQ(found[i], found[i].transpose());
    for (Index r = 0; r < x.dim(); ++r)
      for (Index c = 0; c <= r; ++c)
        EXPECT_NEAR(found[i](r, c), static_cast<double>(expected(r, c)),
                    tolerance(x.dim(), condition, std::max(1.0, size)))
            << "dim " << x.dim() << " condition " << condition;
  }
}

TEST(SpectralFunction, MeetsTheOracleOnEveryTarget) {
  on_every_target([] {
    for (const SpectralFunction function : every_function)
      for (const Index dim : {1, 2, 3, 4, 5, 6, 9, 16, 17, 31})
        for (const double condition : {1.0, 30.0, 1e4, 1e8, 1e10, 1e12})
          expect_function(function, random_spd({.count = 3, .dim = dim, .condition = condition, .seed = 5}), condition);
  });
}

TEST(SpectralFunction, MeetsTheOracleAroundTheLargestSizeInLanes) {
  for (const Index dim : {detail::largest_in_lanes - 1, detail::largest_in_lanes, detail::largest_in_lanes + 1})
    expect_function(SpectralFunction::logarithm, random_spd({.count = 1, .dim = dim, .condition = 1e3}), 1e3);
}

TEST(SpectralFunction, RootsMultiplyToTheMatrixInAnyUnits) {
  for (const double scale : {1e-300, 1e-9, 1.0, 1e150, 1e300}) {
    const SpdBatch x = random_spd({.count = 5, .dim = 12, .condition = 1e3, .scale = scale});
    const MatrixStack roots = spectral_function(SpectralFunction::root, x);
    const MatrixStack inverses = spectral_function(SpectralFunction::inverse_root, x);
    const MatrixStack logs = spectral_function(SpectralFunction::logarithm, x);
    for (Index i = 0; i < 5; ++i) {
      EXPECT_LT((roots[i] * (roots[i] / scale) - x[i] / scale).norm(), tolerance(12, 1e3));
      EXPECT_LT((roots[i] * inverses[i] - Matrix::Identity(12, 12)).norm(), tolerance(12, 1e3));
      // The trace of the logarithm is that of the determinant.
      EXPECT_NEAR(logs[i].trace(), std::log((x[i] / scale).determinant()) + 12 * std::log(scale),
                  tolerance(12, 1e3, 12 * std::max(1.0, std::abs(std::log(scale)))));
    }
  }
}

TEST(SpectralFunction, DoesNotDependOnNeighboursOrThreads) {
  on_every_target([] {
    for (const SpectralFunction function : every_function)
      for (const Index dim : {1, 3, 4, 5, 8, 17}) {
        const SpdBatch batch = assorted(dim);
        const MatrixStack together = spectral_function(function, batch, 1);
        const auto entries = static_cast<std::size_t>(dim * dim);
        for (Index i = 0; i < batch.size(); ++i) {
          const std::vector<Index> alone{i}, moved{(i + 5) % 12, (i + 3) % 12, i};
          const auto expected = bits({together[i].data(), entries});
          EXPECT_EQ(bits(spectral_function(function, batch.select(alone)).values), expected) << i << " of dim " << dim;
          EXPECT_EQ(bits({spectral_function(function, batch.select(moved))[2].data(), entries}), expected);
        }
      }
    const SpdBatch many = random_spd({.count = 211, .dim = 43});
    const MatrixStack one = spectral_function(SpectralFunction::logarithm, many, 1);
    for (const int threads : {2, 7})
      EXPECT_EQ(bits(spectral_function(SpectralFunction::logarithm, many, threads).values), bits(one.values));
  });
}

TEST(SpectralFunction, BoundsConditionNumbers) {
  for (const Index dim : {1, 2, 5, 24, 43})
    for (const double condition : {1.0, 1e2, 1e6, 1e12}) {
      const SpdBatch x = random_spd({.count = 8, .dim = dim, .condition = dim == 1 ? 1 : condition});
      double bounds[8];
      std::vector<double> logs(static_cast<std::size_t>(8 * dim * dim));
      detail::GroupFunction(SpectralFunction::logarithm, dim)(x[0].data(), 8, logs.data(), bounds);
      for (const double bound : bounds) {
        const double exact = dim == 1 ? 1 : condition;
        EXPECT_GE(bound, exact * (1 - tolerance(dim, condition)));
        EXPECT_LE(bound, exact * std::sqrt(3.0 * static_cast<double>(dim)));
      }
    }
}

TEST(GroupFunction, OfACongruenceIsThatOfTheProduct) {
  on_every_target([] {
    for (const Index dim : {1, 2, 3, 4, 5, 7, 8, 16, 18, 130})
      for (const double condition : {10.0, 1e12}) {
        const SpdBatch x = random_spd({.count = 3, .dim = dim, .condition = dim == 1 ? 1 : condition, .seed = 8});
        // The identity beside small parts that are not symmetric; congruence by it changes the condition little.
        Matrix w = 2 * Matrix::Identity(dim, dim);
        for (Index r = 0; r < dim; ++r)
          for (Index c = 0; c < dim; ++c)
            w(r, c) += 0.3 * std::sin(static_cast<double>(3 * r + c)) / static_cast<double>(dim);
        std::vector<double> logs(static_cast<std::size_t>(3 * dim * dim));
        double conditions[3];
        detail::GroupFunction(SpectralFunction::logarithm, dim, &w)(x[0].data(), 3, logs.data(), conditions);
        for (Index i = 0; i < 3; ++i) {
          Matrix product = w * x[i] * w.transpose();
          product = (product + product.transpose()).eval() / 2;
          const SpdBatch alone({product.data(), static_cast<std::size_t>(product.size())}, 1, dim);
          const Matrix expected = spectral_function(SpectralFunction::logarithm, alone)[0];
          const MatrixView found(logs.data() + i * dim * dim, dim, dim);
          EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance(dim, 4 * condition)) << dim;
          EXPECT_EQ(found, found.transpose());
        }
      }
  });
}

TEST(LogarithmSum, IsThatOfTheLogarithmsOneByOne) {
  on_every_target([] {
    for (const Index dim : {1, 2, 3, 4, 5, 7, 8, 16, 18, 130})
      for (const double condition : {10.0, 1e12}) {
        const Index count = dim > 100 ? 3 : 11;
        const SpdBatch some = random_spd({.count = count - 1, .dim = dim, .condition = dim == 1 ? 1 : condition});
        // A diagonal matrix stays one below, and its logarithm is taken from eigenvalues.
        MatrixStack stack{count, dim, {some.values().begin(), some.values().end()}};
        const Matrix diagonal = 3 * Matrix::Identity(dim, dim);
        stack.values.insert(stack.values.end(), diagonal.data(), diagonal.data() + diagonal.size());
        const SpdBatch x(std::move(stack));
        for (const bool is_diagonal : {true, false}) {
          Matrix lower = 2 * Matrix::Identity(dim, dim);
          for (Index r = 0; r < dim && !is_diagonal; ++r)
            for (Index c = 0; c < r; ++c)
              lower(r, c) = 0.3 * std::sin(static_cast<double>(3 * r + c)) / static_cast<double>(dim);
          detail::LogarithmSum sum(lower);
          detail::GroupFunction one(SpectralFunction::logarithm, dim, &lower);
          Matrix expected = Matrix::Zero(dim, dim), log(dim, dim);
          const double rounding = tolerance(dim, 4 * condition);
          for (Index first = 0; first < count; first += detail::eigen_group) {
            const Index taken = std::min(detail::eigen_group, count - first);
            std::vector<double> weights;
            for (Index k = 0; k < taken; ++k) weights.push_back(1 + 0.1 * static_cast<double>(first + k));
            detail::LogarithmFacts facts[detail::eigen_group];
            sum.add(x[first].data(), taken, weights.data(), facts);
            for (Index k = 0; k < taken; ++k) {
              double bound = 0;
              one(x[first + k].data(), 1, log.data(), &bound);
              expected += weights[static_cast<std::size_t>(k)] * log;
              EXPECT_NEAR(facts[k].condition / bound, 1, rounding) << dim;
              EXPECT_NEAR(facts[k].trace, log.trace(), static_cast<double>(dim) * rounding);
              EXPECT_NEAR(facts[k].squared_norm, log.squaredNorm(),
                          2 * static_cast<double>(dim) * log.norm() * rounding);
            }
          }
          EXPECT_LT((sum.total() - expected).cwiseAbs().maxCoeff(), 25 * rounding) << dim << " " << condition;
          EXPECT_EQ(sum.total(), sum.total().transpose());
        }
      }
  });
}

TEST(SpectralFunction, OfDiagonalMatricesIsExact) {
  for (const Index dim : {1, 2, 4, 5, 20, 130}) {
    const Matrix identity = Matrix::Identity(dim, dim), four = 4 * identity;
    const SpdBatch x(std::vector<Matrix>{identity, four});
    EXPECT_EQ(spectral_function(SpectralFunction::logarithm, x)[0], Matrix::Zero(dim, dim));
    EXPECT_EQ(spectral_function(SpectralFunction::root, x)[1], 2 * identity);
    EXPECT_EQ(spectral_function(SpectralFunction::inverse_root, x)[1], identity / 2);
  }
}

}  // namespace
}  // namespace dsk::test
