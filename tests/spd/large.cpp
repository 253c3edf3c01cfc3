#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "machine/lapack.hpp"
#include "spd/shifted_inverses.hpp"
#include "support/assorted_matrices.hpp"
#include "support/oracle_eigen.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

namespace lapack = detail::lapack;
using detail::SpectralFunction;

/// The functions of LAPACK can be called for matrices of any size, which keeps the oracles quick.
class Large : public testing::Test {
 protected:
  void SetUp() override {
    if (lapack::crossover().factor == 0) GTEST_SKIP() << "built without LAPACK";
  }
};

Real large_function_oracle(SpectralFunction function, Real x) {
  return function == SpectralFunction::logarithm ? std::log(x)
         : function == SpectralFunction::root    ? std::sqrt(x)
                                                 : 1 / std::sqrt(x);
}

TEST_F(Large, FunctionsMeetTheOracleOnEveryTarget) {
  for (const Index dim : {2, 3, 8, 9, 48, 49, 50, 61})
    for (const double condition : {1.5, 1e4, 1e8}) {
      const SpdBatch x = random_spd({.count = 1, .dim = dim, .condition = condition, .scale = 1e3, .seed = 4});
      for (const auto function :
           {SpectralFunction::logarithm, SpectralFunction::root, SpectralFunction::inverse_root}) {
        const OracleMatrix expected =
            apply(OracleMatrix::of(x[0]), [&](Real value) { return large_function_oracle(function, value); });
        on_every_target([&] {
          Matrix found(dim, dim);
          double bound = 0;
          ASSERT_TRUE(detail::large_function(function, x[0].data(), dim, nullptr, found.data(), bound));
          EXPECT_GE(bound, condition * (1 - tolerance(dim, condition)));
          EXPECT_EQ(found, found.transpose());
          const double allowed = tolerance(dim, condition, found.cwiseAbs().maxCoeff());
          for (Index r = 0; r < dim; ++r)
            for (Index c = 0; c <= r; ++c)
              ASSERT_NEAR(found(r, c), static_cast<double>(expected(r, c)), allowed) << dim << " " << condition;
        });
      }
    }
}

TEST_F(Large, FunctionsRefuseWhatNeedsEigenvectors) {
  Matrix result(20, 20);
  double bound = 0;
  const Matrix diagonal = Matrix::Identity(20, 20) * 3;
  EXPECT_FALSE(detail::large_function(SpectralFunction::root, diagonal.data(), 20, nullptr, result.data(), bound));
  const SpdBatch steep = random_spd({.count = 1, .dim = 20, .condition = 1e12});
  EXPECT_FALSE(detail::large_function(SpectralFunction::root, steep[0].data(), 20, nullptr, result.data(), bound));
  const Matrix indefinite = Matrix::Ones(20, 20) - 2 * Matrix::Identity(20, 20);
  EXPECT_FALSE(detail::large_function(SpectralFunction::root, indefinite.data(), 20, nullptr, result.data(), bound));
}

TEST_F(Large, DecompositionsHaveOrthogonalVectorsAndSmallResiduals) {
  const Index crossover = lapack::crossover().function;
  for (const Index dim : {crossover - 1, crossover, crossover + 1})
    for (const double condition : {1e2, 1e7, 1e12})
      for (const double scale : {1e-300, 1.0, 1e300}) {
        const SpdBatch x = random_spd({.count = 1, .dim = dim, .condition = condition, .scale = scale, .seed = 2});
        const EigenBatch found = eigen_decompose(x);
        const MatrixView u = found.vectors[0];
        EXPECT_LT((u.transpose() * u - Matrix::Identity(dim, dim)).norm(), tolerance(dim, 1));
        EXPECT_LT((x[0] / scale * u - u * (found.values.row(0) / scale).asDiagonal()).norm(), tolerance(dim, 1));
        // The eigenvalues are known.
        for (Index k = 0; k < dim; ++k) {
          const double expected = std::pow(condition, -static_cast<double>(k) / static_cast<double>(dim - 1));
          EXPECT_NEAR(found.values(0, k) / scale, expected, tolerance(dim, 1));
        }
        const MatrixStack again = recompose(found.values / scale, found.vectors);
        EXPECT_EQ(again[0], again[0].transpose());
        EXPECT_LT((again[0] - x[0] / scale).norm(), tolerance(dim, 1));
      }
}

TEST_F(Large, FactorsAndInversesMeetTheOracleAroundTheCrossover) {
  const Index crossover = lapack::crossover().factor;
  for (const Index dim : {crossover - 1, crossover, crossover + 1, Index{97}})
    for (const double condition : {1e2, 1e7, 1e12}) {
      const SpdBatch x = random_spd({.count = 1, .dim = dim, .condition = condition, .scale = 1e-5, .seed = 6});
      const OracleMatrix factor = cholesky(OracleMatrix::of(x[0])), inverted = inverse(OracleMatrix::of(x[0]));
      Matrix lower, inverse_factor, whole(dim, dim);
      detail::cholesky_factor(x[0], lower);
      detail::invert_factor(lower, inverse_factor);
      EXPECT_LT((inverse_factor * lower - Matrix::Identity(dim, dim)).norm(), tolerance(dim, condition));
      EXPECT_TRUE(Matrix(lower.triangularView<Eigen::StrictlyUpper>()).isZero(0));
      EXPECT_TRUE(Matrix(inverse_factor.triangularView<Eigen::StrictlyUpper>()).isZero(0));
      detail::invert_from_factor(lower, inverse_factor, whole);
      const double size = whole.cwiseAbs().maxCoeff();
      for (Index r = 0; r < dim; ++r)
        for (Index c = 0; c < dim; ++c) {
          EXPECT_NEAR(lower(r, c), static_cast<double>(factor(r, c)), tolerance(dim, condition) * 4e-3);
          EXPECT_NEAR(whole(r, c) / size, static_cast<double>(inverted(r, c)) / size, tolerance(dim, condition));
        }
    }
}

TEST_F(Large, ChecksRefuseTheSameMatricesOnBothSidesOfTheCrossover) {
  const Index crossover = lapack::crossover().factor;
  for (const Index dim : {crossover - 1, crossover, crossover + 1, Index{95}, Index{96}, Index{97}, Index{200}}) {
    Matrix scratch, inverse;
    const auto passes = [&](double correlation) {
      Matrix x = Matrix::Constant(dim, dim, correlation);
      x.diagonal().setOnes();
      return detail::is_positive_definite({x.data(), dim, dim}, scratch, inverse);
    };
    const double limit = static_cast<double>(dim * dim) * 2.2e-16;
    EXPECT_TRUE(passes(0.5));
    EXPECT_TRUE(passes(1 - 10 * limit));
    EXPECT_FALSE(passes(1 - limit / 10));
    EXPECT_FALSE(passes(1));
    EXPECT_FALSE(passes(-0.5));
  }
}

TEST_F(Large, ResultsDoNotDependOnThreads) {
  const SpdBatch x = random_spd({.count = 5, .dim = 150, .condition = 1e4});
  const EigenBatch eigen = eigen_decompose(x, 1);
  const MatrixStack logs = spectral_function(SpectralFunction::logarithm, x, 1);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(bits(eigen_decompose(x, threads).vectors.values), bits(eigen.vectors.values));
    EXPECT_EQ(bits(spectral_function(SpectralFunction::logarithm, x, threads).values), bits(logs.values));
  }
}

TEST(SymmetricBatch, IsCheckedForSymmetryOnly) {
  Matrix x = Matrix::Ones(40, 40) - 2 * Matrix::Identity(40, 40);
  const auto batch = [&](Check check) { return SpdBatch({x.data(), 1600}, 1, 40, 1, check); };
  EXPECT_EQ(batch(Check::none)[0], x);
  EXPECT_THROW(batch(Check::positive_definite), InvalidInput);
  x(3, 1) = 7;
  EXPECT_THROW(batch(Check::none), InvalidInput);
  x(1, 3) = 7;
  EXPECT_EQ(batch(Check::none)[0], x);
  x(39, 0) = std::nan("");
  EXPECT_THROW(batch(Check::none), InvalidInput);
}

}  // namespace
}  // namespace dsk::test
