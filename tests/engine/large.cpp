#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/cpu/large_spectrum.hpp"
#include "machine/blocked_factor.hpp"
#include "machine/lapack.hpp"
#include "support/oracle_eigen.hpp"
#include "support/oracle_pairs.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

namespace lapack = detail::lapack;
using engine::SpectrumValue;

class LargePairs : public testing::Test {
 protected:
  void SetUp() override {
    if (lapack::crossover().stein == 0) GTEST_SKIP() << "built without LAPACK";
  }
};

/// tr X + tr Y - 2 times the singular values of chol(X)' chol(Y). The formula would lose half the digits of the small
/// ones.
Real wasserstein_of_factors(const OracleMatrix& x, const OracleMatrix& y) {
  const OracleMatrix a = cholesky(x), b = cholesky(y);
  OracleMatrix g(x.dim());
  Real sum = 0;
  for (long r = 0; r < x.dim(); ++r) {
    sum += x(r, r) + y(r, r);
    for (long c = 0; c < x.dim(); ++c)
      for (long k = 0; k < x.dim(); ++k) g(r, c) += a(k, r) * b(k, c);
  }
  for (const Real value : singular_values(g)) sum -= 2 * value;
  return sum;
}

/// Called directly, the code for large matrices takes small ones too.
void expect_spectra(const SpdBatch& x, double condition) {
  const Index n = x.size();
  Matrix airm = Matrix::Zero(n, n), thompson = airm, wasserstein = airm;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      const OracleMatrix a = OracleMatrix::of(x[j]), b = OracleMatrix::of(x[i]);
      airm(i, j) = airm(j, i) = static_cast<double>(airm_squared(a, b));
      thompson(i, j) = thompson(j, i) = static_cast<double>(thompson_oracle(a, b));
      wasserstein(i, j) = wasserstein(j, i) = static_cast<double>(wasserstein_of_factors(a, b));
    }
  const double trace = x[0].trace();
  for (const SpdBatch* y : {static_cast<const SpdBatch*>(nullptr), &x}) {
    EXPECT_LT((engine::large_spectra(SpectrumValue::squared_logs, x, y, {}) - airm).cwiseAbs().maxCoeff(),
              tolerance(x.dim(), condition, airm.maxCoeff()));
    EXPECT_LT((engine::large_spectra(SpectrumValue::largest_log, x, y, {}) - thompson).cwiseAbs().maxCoeff(),
              tolerance(x.dim(), condition, thompson.maxCoeff()));
    EXPECT_LT((engine::large_spectra(SpectrumValue::singular_values, x, y, {}) - wasserstein).cwiseAbs().maxCoeff(),
              tolerance(x.dim(), 1, trace));
  }
}

TEST_F(LargePairs, SpectraMeetTheOracleForAllConditions) {
  for (const Index dim : {1, 2, 5, 17, 40})
    for (const double condition : {1.0, 1e2, 1e4, 1e8, 1e12}) {
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", condition " << condition);
      expect_spectra(random_spd({.count = 3, .dim = dim, .condition = dim == 1 ? 1 : condition, .seed = 8}), condition);
    }
}

TEST_F(LargePairs, SpectraAgreeOnBothSidesOfTheCrossover) {
  const Index crossover = lapack::crossover().spectrum;
  for (const Index dim : {crossover - 1, crossover, crossover + 1})
    for (const double condition : {1e2, 1e12}) {
      const SpdBatch x = random_spd({.count = 2, .dim = dim, .condition = condition, .seed = 5});
      const double expected = static_cast<double>(airm_squared(OracleMatrix::of(x[0]), OracleMatrix::of(x[1])));
      const Matrix found = pairwise_squared_airm(x);
      EXPECT_NEAR(found(0, 1), expected, tolerance(dim, condition, expected));
      EXPECT_EQ(found(1, 0), found(0, 1));
      EXPECT_EQ(found(0, 0), 0);
    }
}

TEST_F(LargePairs, SpectraAreTheSameInAnyUnits) {
  const SpdBatch x = random_spd({.count = 2, .dim = 30, .condition = 1e3});
  const Matrix expected = engine::large_spectra(SpectrumValue::squared_logs, x, nullptr, {});
  for (const double factor : {1e-300, 1e-12, 1e12, 1e300}) {
    std::vector<double> values(x.values().begin(), x.values().end());
    for (double& value : values) value *= factor;
    const Matrix found = engine::large_spectra(SpectrumValue::squared_logs, SpdBatch(values, 2, 30), nullptr, {});
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance(30, 1e3, expected.maxCoeff()));
  }
}

TEST_F(LargePairs, SteinMeetsTheOracleAroundTheCrossover) {
  const Index crossover = lapack::crossover().stein;
  for (const Index dim : {crossover - 1, crossover, crossover + 1})
    for (const double condition : {1e1, 1e6, 1e12}) {
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", condition " << condition);
      const SpdBatch x = random_spd({.count = 3, .dim = dim, .condition = condition, .scale = 1e-8, .seed = 7});
      const OraclePairs expected(x);
      const Matrix found = PairSweep(x).divergences();
      EXPECT_LE((found - expected.divergence).cwiseAbs().maxCoeff(), tolerance(dim, condition));
      EXPECT_LE((PairSweep(x).logdets() - expected.logdet_of_mean).cwiseAbs().maxCoeff(),
                tolerance(dim, condition, expected.logdet_of_mean.cwiseAbs().maxCoeff()));
      EXPECT_EQ(found, found.transpose());
      EXPECT_TRUE((found.diagonal().array() == 0).all());
      EXPECT_EQ(PairSweep(x, x).divergences(), found);
    }
}

TEST_F(LargePairs, ResultsDoNotDependOnThreads) {
  const SpdBatch x = random_spd({.count = 6, .dim = lapack::crossover().stein, .condition = 1e4});
  const Matrix stein = PairSweep(x, {.threads = 1}).divergences();
  const Matrix airm = pairwise_squared_airm(x, {.threads = 1});
  for (const int threads : {2, 3}) {
    EXPECT_EQ(PairSweep(x, {.threads = threads}).divergences(), stein);
    EXPECT_EQ(pairwise_squared_airm(x, {.threads = threads}), airm);
  }
}

/// Sizes around the first that is factored in blocks, and one with a last block that is not full. The oracle is L L'
/// itself, computed with the widest numbers.
TEST_F(LargePairs, FactorsInBlocksGiveTheMatrixBack) {
  for (const Index dim : {511, 512, 513, 700}) {
    const SpdBatch x = random_spd({.count = 1, .dim = dim, .condition = 1e6, .seed = 3});
    Matrix factor = x[0];
    ASSERT_TRUE(detail::factor_by_threads(factor.data(), dim, 2));
    double worst = 0;
    for (Index i = 0; i < dim; i += 7)
      for (Index j = 0; j <= i; j += 5) {
        Real sum = 0;
        for (Index k = 0; k <= j; ++k) sum += static_cast<Real>(factor(i, k)) * factor(j, k);
        worst = std::max(worst, static_cast<double>(std::abs(sum - static_cast<Real>(x[0](i, j)))));
      }
    EXPECT_LT(worst, tolerance(dim, 1, x[0].diagonal().maxCoeff())) << dim;
  }
}

TEST_F(LargePairs, FactorsInBlocksDoNotDependOnThreadsAndRefuseWhatIsNotPositiveDefinite) {
  constexpr Index dim = 600;
  Matrix one = random_spd({.count = 1, .dim = dim, .condition = 1e3})[0], broken = one;
  Matrix three = one;
  ASSERT_TRUE(detail::factor_by_threads(one.data(), dim, 1));
  ASSERT_TRUE(detail::factor_by_threads(three.data(), dim, 3));
  EXPECT_EQ(one, three);
  broken(dim - 1, dim - 1) = -1;
  EXPECT_FALSE(detail::factor_by_threads(broken.data(), dim, 3));
}

/// Below the limit, a pair is the work of one thread; from it on, few pairs are shared among threads, block by block.
TEST_F(LargePairs, FewPairsOnSeveralThreadsHaveTheBitsOfOneThread) {
  Index limit = 1;
  while (!detail::is_factored_by_threads(limit)) ++limit;
  ASSERT_TRUE(lapack::takes(lapack::crossover().stein, limit - 1)) << "both sides are large";
  for (const Index dim : {limit - 1, limit, limit + 1, limit + 88}) {
    const SpdBatch all = random_spd({.count = 3, .dim = dim, .condition = 1e4});
    for (const Index count : {2, 3}) {
      std::vector<Index> first(static_cast<std::size_t>(count));
      std::iota(first.begin(), first.end(), 0);
      const SpdBatch x = all.select(first), y = all.select(std::vector<Index>{0});
      const Matrix expected = PairSweep(x, {.threads = 1}).divergences();
      if (count == 2) {
        EXPECT_NEAR(expected(0, 1), OraclePairs(x).divergence(0, 1), tolerance(dim, 1e4)) << dim;
      }
      for (const int threads : {2, 3, 6}) {
        SCOPED_TRACE(testing::Message() << "d = " << dim << ", " << count << " matrices, " << threads << " threads");
        EXPECT_EQ(PairSweep(x, {.threads = threads}).divergences(), expected);
        EXPECT_EQ(PairSweep(y, x, {.threads = threads}).divergences(), expected.topRows(1));
      }
    }
  }
}

}  // namespace
}  // namespace dsk::test
