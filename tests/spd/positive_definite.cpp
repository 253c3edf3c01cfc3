#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "spd/spd.hpp"
#include "support/simd_targets.hpp"

namespace dsk::test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

detail::SymmetryScan scan_of(const Matrix& x, Index middle) {
  detail::SymmetryScan scan;
  detail::scan_symmetry(x.data(), x.rows(), 0, middle, scan);
  detail::scan_symmetry(x.data(), x.rows(), middle, x.rows(), scan);
  return scan;
}

/// Sizes beside and at those of blocks.
constexpr Index block_sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33};

TEST(SymmetryScan, FindsTheLargestEntryAndAsymmetryWhereverTheyAre) {
  for (const Index dim : block_sizes)
    on_every_target([&] {
      const Matrix symmetric = random_spd({.count = 1, .dim = dim, .condition = 100, .seed = 3})[0];
      for (Index r = 0; r < dim; ++r)
        for (Index c = 0; c < dim; ++c) {
          Matrix x = symmetric;
          x(r, c) = -5;
          const detail::SymmetryScan scan = scan_of(x, dim / 16 * 8);
          ASSERT_TRUE(scan.finite);
          ASSERT_EQ(scan.largest, 5) << dim << " " << r << " " << c;
          ASSERT_EQ(scan.asymmetry, r == c ? 0 : std::abs(symmetric(c, r) + 5)) << dim << " " << r << " " << c;
        }
    });
}

TEST(SymmetryScan, SeesWhatIsNotFiniteWhereverItIs) {
  for (const Index dim : block_sizes)
    for (const double bad : {not_a_number, infinity, -infinity})
      on_every_target([&] {
        for (Index r = 0; r < dim; ++r)
          for (Index c = 0; c < dim; ++c) {
            Matrix x = Matrix::Identity(dim, dim);
            x(r, c) = bad;
            ASSERT_FALSE(scan_of(x, 0).finite) << dim << " " << r << " " << c;
          }
      });
}

TEST(SymmetryScan, TakesTheLargestDoublesForFinite) {
  const Matrix x = Matrix::Constant(17, 17, std::numeric_limits<double>::max());
  on_every_target([&] {
    EXPECT_TRUE(scan_of(x, 8).finite);
    EXPECT_EQ(scan_of(x, 8).asymmetry, 0);
  });
}

TEST(SymmetryScan, ScalesToUnitDiagonal) {
  for (const Index dim : block_sizes) {
    Matrix x = random_spd({.count = 1, .dim = dim, .condition = 100, .scale = 1e-12})[0];
    if (dim > 2) x(2, 1) += 1e-22;
    Eigen::VectorXd scales(dim);
    for (Index k = 0; k < dim; ++k) scales(k) = 1 / std::sqrt(x(k, k));
    on_every_target([&] {
      Matrix lower(dim, dim);
      detail::scan_and_scale(x.data(), dim, scales.data(), lower.data());
      for (Index r = 0; r < dim; ++r)
        for (Index c = 0; c <= r; ++c)
          ASSERT_EQ(lower(r, c), r == c ? 1 : (x(r, c) + (x(c, r) - x(r, c)) / 2) * scales(r) * scales(c));
    });
  }
}

/// Around the first block, LAPACK's first size, and where estimates of the condition begin.
constexpr Index factor_sizes[] = {1, 2, 7, 8, 9, 31, 32, 33, 95, 96, 97};

TEST(CheckedFactor, IsTheFactorOfTheBatchToTheBit) {
  for (const Index dim : factor_sizes)
    for (const double condition : {1.0, 1e3, 1e8, 1e12})
      for (const double scale : {1e-290, 1.0, 1e290}) {
        const SpdBatch x = random_spd({.count = 1, .dim = dim, .condition = condition, .scale = scale, .seed = 5});
        Matrix expected, found;
        detail::cholesky_factor(x[0], expected);
        detail::CheckedFactor factor(dim);
        ASSERT_TRUE(factor.check(x[0].data(), symmetry_tolerance)) << dim << " " << condition;
        EXPECT_TRUE(factor.is_exactly_symmetric());
        factor.write_lower(found);
        EXPECT_EQ(found, expected);
        Eigen::VectorXd packed(dim * (dim + 1) / 2);
        factor.write_packed(packed.data());
        for (Index r = 0; r < dim; ++r)
          for (Index c = 0; c <= r; ++c) ASSERT_EQ(packed(r * (r + 1) / 2 + c), expected(r, c));
      }
}

TEST(CheckedFactor, RefusesWhatABatchRefuses) {
  for (const Index dim : {Index{4}, Index{31}, Index{32}, Index{33}, Index{96}, Index{130}})
    for (const double exponent : {2.0, 8.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0})
      for (const double sign : {1.0, -1.0}) {
        // One eigenvalue of the correlation matrix is about sign * 10^-exponent.
        Matrix x = Matrix::Constant(dim, dim, 0.5) + 0.5 * Matrix::Identity(dim, dim);
        x(1, 0) = x(0, 1) = 1 - sign * std::pow(10, -exponent);
        x.row(1).tail(dim - 2) = x.row(0).tail(dim - 2);
        x.col(1).tail(dim - 2) = x.col(0).tail(dim - 2);
        detail::CheckedFactor factor(dim);
        const bool is_valid = factor.check(x.data(), symmetry_tolerance);
        EXPECT_EQ(is_valid, diagnose({1, dim, {x.data(), x.data() + x.size()}})[0].defect == Defect::none)
            << dim << " " << exponent;
        EXPECT_FALSE(is_valid && (sign < 0 || exponent > 16));
        EXPECT_TRUE(is_valid || sign < 0 || exponent >= 9);
      }
}

TEST(CheckedFactor, RefusesWhatIsNotSymmetricOrFinite) {
  const Matrix good = random_spd({.count = 1, .dim = 20, .condition = 10})[0];
  detail::CheckedFactor factor(20);
  for (const double bad : {not_a_number, infinity, 3.0}) {
    for (const Index column : {0, 7, 19}) {
      Matrix x = good;
      x(11, column) = bad;
      EXPECT_FALSE(factor.check(x.data(), symmetry_tolerance));
    }
    EXPECT_TRUE(factor.check(good.data(), symmetry_tolerance));
  }
  Matrix rounded = good;
  rounded(3, 1) *= 1 + 1e-12;
  EXPECT_TRUE(factor.check(rounded.data(), symmetry_tolerance));
  EXPECT_FALSE(factor.is_exactly_symmetric());
}

}  // namespace
}  // namespace dsk::test
