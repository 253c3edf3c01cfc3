#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "spd/spd.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

TEST(Diagnose, ReportsEveryDefect) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const MatrixStack stack{6, 2, {2, 1, 1, 2, 1, nan, nan, 1, 1, 0.5, 0, 1, 1, 3, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0}};
  const auto found = diagnose(stack);
  const Defect expected[] = {Defect::none,       Defect::not_finite,     Defect::asymmetric,
                             Defect::indefinite, Defect::rank_deficient, Defect::rank_deficient};
  ASSERT_EQ(found.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(found[i].defect, expected[i]) << i;
    EXPECT_EQ(found[i].index, static_cast<Index>(i));
    EXPECT_NE(found[i].message().find("matrix " + std::to_string(i)), std::string::npos);
    EXPECT_EQ(found[i].message().find('\n'), std::string::npos);
  }
  EXPECT_NEAR(found[0].condition, 3, tolerance(2, 3, 3));
  EXPECT_NEAR(found[0].smallest_eigenvalue, 1, tolerance(2, 3));
  EXPECT_NEAR(found[0].largest_eigenvalue, 3, tolerance(2, 3));
  EXPECT_EQ(found[0].numerical_rank, 2);
  EXPECT_TRUE(std::isnan(found[1].smallest_eigenvalue));
  EXPECT_EQ(found[2].asymmetry, 0.5);
  EXPECT_NEAR(found[3].smallest_eigenvalue, -2, tolerance(2, 4));
  EXPECT_TRUE(std::isinf(found[3].condition));
  EXPECT_EQ(found[4].numerical_rank, 1);
  EXPECT_EQ(found[5].numerical_rank, 0);
}

TEST(Diagnose, FindsTheRankOfFewSamples) {
  for (const Index samples : {1, 7, 23}) {
    const Index dim = 24;
    const Eigen::MatrixXd data = Eigen::MatrixXd::Random(dim, samples);
    // Channels in units far apart must not hide or make rank.
    Eigen::VectorXd units(dim);
    for (Index k = 0; k < dim; ++k) units(k) = std::pow(10.0, static_cast<double>(k % 5) - 4);
    Matrix x = units.asDiagonal() * data * data.transpose() * units.asDiagonal();
    x.triangularView<Eigen::StrictlyUpper>() = x.transpose();
    const auto found = diagnose({1, dim, std::vector<double>(x.data(), x.data() + x.size())});
    EXPECT_EQ(found[0].defect, Defect::rank_deficient);
    EXPECT_EQ(found[0].numerical_rank, samples);
  }
}

TEST(Diagnose, ReportsConditionInAnyUnits) {
  for (const double scale : {1e-300, 1e-12, 1e12, 1e150})
    for (const double condition : {1.0, 1e3, 1e8}) {
      const SpdBatch x = random_spd({.count = 1, .dim = 6, .condition = condition, .scale = scale});
      const auto found = diagnose({1, 6, {x.values().begin(), x.values().end()}});
      EXPECT_EQ(found[0].defect, Defect::none);
      EXPECT_NEAR(found[0].condition / condition, 1, tolerance(6, condition));
      EXPECT_NEAR(found[0].largest_eigenvalue / scale, 1, tolerance(6, 1));
    }
}

}  // namespace
}  // namespace dsk::test
