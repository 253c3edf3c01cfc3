#include "learn/parameters.hpp"

#include <gtest/gtest.h>

#include "support/learn_cases.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using detail::Parameters;

/// A point near the start, every entry moved differently.
Eigen::VectorXd moved_point(const Parameters& parameters) {
  Eigen::VectorXd point = parameters.start(2);
  for (Index k = 0; k < point.size(); ++k) point[k] += 0.3 * std::sin(1.0 + static_cast<double>(k));
  return point;
}

TEST(Parameters, StartWithoutAdjustment) {
  for (const Adjustment kind : all_adjustments)
    for (const bool with_c : {false, true}) {
      const Parameters parameters(EigenvalueAdjustment::none(3, kind), with_c);
      const Eigen::VectorXd start = parameters.start(2.5);
      EXPECT_EQ(start.size(), (kind == Adjustment::affine ? 6 : 3) + (with_c ? 1 : 0));
      EXPECT_TRUE(parameters.adjustment(start).is_none());
      EXPECT_NEAR(parameters.c(start), with_c ? 2.5 : 0, tolerance(1, 1, 2.5));
      Eigen::VectorXd unused = Eigen::VectorXd::Zero(start.size());
      EXPECT_EQ(parameters.penalty(start, 1, unused), 0);
    }
}

TEST(Parameters, KeepKindCentreAndScale) {
  for (const Adjustment kind : all_adjustments) {
    const EigenvalueAdjustment plain = uneven_adjustment(3, kind, 7);
    const Parameters parameters(plain, true);
    const EigenvalueAdjustment found = parameters.adjustment(moved_point(parameters));
    EXPECT_NO_THROW(found.check());
    EXPECT_EQ(found.kind, kind);
    EXPECT_EQ(found.centre, plain.centre);
    EXPECT_EQ(found.scale, 7);
  }
}

TEST(Parameters, PenaltyIsTheSquaredDistanceFromNoAdjustment) {
  for (const Adjustment kind : all_adjustments) {
    const Parameters parameters(EigenvalueAdjustment::none(4, kind), true);
    const Eigen::VectorXd point = moved_point(parameters);
    const EigenvalueAdjustment here = parameters.adjustment(point);
    Eigen::VectorXd gradient = Eigen::VectorXd::Constant(point.size(), 5);
    const double expected = (here.alpha.array() - 1).square().sum() + here.beta.squaredNorm();
    EXPECT_NEAR(parameters.penalty(point, 3, gradient), expected, tolerance(4, 1));

    constexpr double step = 1e-3;  // a difference of five values is off by step^4 and by rounding over step
    for (Index k = 0; k < point.size(); ++k) {
      const auto at = [&](double by) {
        Eigen::VectorXd there = point, unused = Eigen::VectorXd::Zero(point.size());
        there[k] += by;
        return parameters.penalty(there, 0, unused);
      };
      const double slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      EXPECT_NEAR(gradient[k], 5 + 3 * slope, tolerance(4, 1 / step)) << name(kind) << ", entry " << k;
    }
  }
}

TEST(Parameters, TakeTheDerivativesThatTheirKindHas) {
  const CriterionGradient gradient{1, Eigen::Vector2d(1, 2), Eigen::Vector2d(3, 4), 5};
  const auto taken = [&](Adjustment kind, bool with_c) {
    const Eigen::VectorXd found = Parameters(EigenvalueAdjustment::none(2, kind), with_c).gradient(gradient);
    return std::vector<double>(found.begin(), found.end());
  };
  EXPECT_EQ(taken(Adjustment::power, false), (std::vector<double>{1, 2}));
  EXPECT_EQ(taken(Adjustment::coefficient, true), (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(taken(Adjustment::affine, true), (std::vector<double>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace dsk::test
