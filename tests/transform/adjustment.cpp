#include <dsk/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spd/spd.hpp"
#include "support/adjustment_cases.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"
#include "transform/transform.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Adjustment, IsReadByNameAndByLetter) {
  for (const Adjustment kind : all_adjustments()) {
    EXPECT_EQ(parse_adjustment(name(kind)), kind);
    EXPECT_EQ(parse_adjustment(name(kind).substr(0, 1)), kind);
  }
  for (const std::string_view text : {"", "Power", "pow", "power "})
    EXPECT_EQ(message_of([&] { parse_adjustment(text); }),
              "unknown adjustment '" + std::string(text) + "'; use one of power (p), coefficient (c), affine (a)");
  EXPECT_THAT(message_of([] { name(static_cast<Adjustment>(9)); }), HasSubstr("9"));
}

TEST(AdjustedLogEigenvalues, FollowTheFormulas) {
  Matrix eigenvalues(2, 3);
  eigenvalues << 9, 2, 0.5, 4, 3, 1e-6;
  for (const Adjustment kind : all_adjustments())
    for (const double scale : {1.0, 1e-3, 250.0}) {
      const EigenvalueAdjustment adjustment = uneven_adjustment(3, kind, scale);
      const Matrix found = detail::adjusted_log_eigenvalues(eigenvalues, adjustment);
      for (Index i = 0; i < 2; ++i)
        for (Index z = 0; z < 3; ++z) {
          const double alpha = adjustment.alpha[z], beta = adjustment.beta[z], centre = adjustment.centre[z];
          const double log = std::log(eigenvalues(i, z) / scale);
          const double expected = kind == Adjustment::power         ? alpha * log
                                  : kind == Adjustment::coefficient ? log + std::log(alpha)
                                                                    : alpha * (log - centre) + centre + beta;
          EXPECT_NEAR(found(i, z), expected, tolerance(1, 1, std::abs(expected))) << name(kind) << ", scale " << scale;
          EXPECT_NEAR(found(i, z), adjustment.slope()[z] * log + adjustment.intercept()[z],
                      tolerance(1, 1, std::abs(expected)));
        }
    }
}

TEST(Adjust, MeetsTheOracle) {
  for (const Index dim : {1, 2, 5, 16})
    for (const Adjustment kind : all_adjustments()) {
      const Dataset data = made_classes({.sizes = {3, 2}, .dim = dim});
      const EigenvalueAdjustment adjustment = uneven_adjustment(dim, kind, 0.2);
      const SpdBatch found = adjust(data.matrices(), adjustment);
      const std::vector<OracleSpectrum> spectra = oracle_spectra(data.matrices());
      const OracleAdjustment oracle = OracleAdjustment::of(adjustment);
      for (Index i = 0; i < found.size(); ++i) {
        const OracleMatrix expected = adjusted(spectra[static_cast<std::size_t>(i)], oracle);
        const double allowed = tolerance(dim, condition(spectra, oracle), found[i].cwiseAbs().maxCoeff());
        for (Index r = 0; r < dim; ++r)
          for (Index c = 0; c < dim; ++c)
            EXPECT_NEAR(found[i](r, c), static_cast<double>(expected(r, c)), allowed) << name(kind) << ", d = " << dim;
      }
    }
}

TEST(Adjust, WithoutAdjustmentLeavesMatricesAlone) {
  const SpdBatch x = random_spd({.count = 5, .dim = 6, .condition = 100});
  for (const Adjustment kind : all_adjustments()) {
    const EigenvalueAdjustment none = EigenvalueAdjustment::none(6, kind);
    EXPECT_TRUE(none.is_none());
    EXPECT_NO_THROW(none.check());
    EXPECT_EQ(none.slope(), Eigen::VectorXd::Ones(6));
    EXPECT_EQ(none.intercept(), Eigen::VectorXd::Zero(6));
    const SpdBatch same = adjust(x, none);
    for (Index i = 0; i < x.size(); ++i) EXPECT_LE((same[i] - x[i]).cwiseAbs().maxCoeff(), tolerance(6, 1));
  }
}

TEST(Adjust, GivesTheSameBitsForAnyNumberOfThreads) {
  const SpdBatch x = random_spd({.count = 400, .dim = 20, .condition = 100});
  const EigenvalueAdjustment adjustment = uneven_adjustment(20, Adjustment::affine);
  const SpdBatch one = adjust(x, adjustment, 1), two = adjust(x, adjustment, 2);
  EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), two.values().begin()));
}

TEST(Adjust, RefusesWhatLeavesTheRangeOfDouble) {
  const SpdBatch x = random_spd({.count = 2, .dim = 3, .condition = 100, .scale = 3});
  for (const double power : {1e4, -1e4}) {
    EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(3);
    adjustment.alpha.setConstant(power);
    const std::string refusal = message_of([&] { adjust(x, adjustment); });
    EXPECT_THAT(refusal, HasSubstr("with adjusted eigenvalues: matrix 0")) << power;
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
  }
}

TEST(Adjust, RaisesWhatIsTooSmallBesideTheLargest) {
  const SpdBatch x = random_spd({.count = 3, .dim = 4, .condition = 100});
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(4);
  adjustment.alpha.setConstant(20);
  const Matrix logs = detail::adjusted_log_eigenvalues(eigen_decompose(x).values, adjustment);
  const double lowest = std::log(detail::smallest_adjusted_ratio(4));
  EXPECT_EQ(logs.rowwise().minCoeff(), (logs.rowwise().maxCoeff().array() + lowest).matrix());
  EXPECT_NO_THROW(adjust(x, adjustment));
}

TEST(Adjust, RefusesMatricesOfAnotherSize) {
  const SpdBatch x = random_spd({.count = 2, .dim = 3});
  EXPECT_EQ(message_of([&] { adjust(x, EigenvalueAdjustment::none(4)); }),
            "a kernel for matrices of size 4 cannot take matrices of size 3");
}

TEST(EigenvalueAdjustment, NamesTheBadEntry) {
  const auto refusal = [](Adjustment kind, const auto& spoil) {
    EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(4, kind);
    spoil(adjustment);
    return message_of([&] { adjustment.check(); });
  };
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(Adjustment::power, [&](auto& bad) { bad.alpha[2] = nan; }),
            "adjustment: alpha 2 is nan, not a finite number");
  EXPECT_EQ(refusal(Adjustment::affine, [&](auto& bad) { bad.beta[3] = infinity; }),
            "adjustment: beta 3 is inf, not a finite number");
  EXPECT_EQ(refusal(Adjustment::affine, [&](auto& bad) { bad.centre[0] = -infinity; }),
            "adjustment: centre 0 is -inf, not a finite number");
  EXPECT_EQ(refusal(Adjustment::affine, [](auto& bad) { bad.beta = Eigen::VectorXd::Zero(3); }),
            "adjustment of 4 eigenvalues has 3 entries of beta");
  EXPECT_EQ(refusal(Adjustment::affine, [](auto& bad) { bad.centre = {}; }),
            "adjustment of 4 eigenvalues has 0 entries of centre");
  EXPECT_EQ(refusal(Adjustment::coefficient, [](auto& bad) { bad.alpha[1] = 0; }), "coefficient 1 is 0, not above 0");
  EXPECT_EQ(refusal(Adjustment::coefficient, [](auto& bad) { bad.alpha[1] = -2; }), "coefficient 1 is -2, not above 0");
  EXPECT_EQ(refusal(Adjustment::power, [](auto& bad) { bad.alpha[1] = -2; }), "");
  EXPECT_EQ(refusal(Adjustment::power, [](auto& bad) { bad.centre[3] = 0.5; }),
            "adjustment: centre 3 is 0.5, but power has none");
  EXPECT_EQ(refusal(Adjustment::coefficient, [](auto& bad) { bad.beta[0] = -1; }),
            "adjustment: beta 0 is -1, but coefficient has none");
  EXPECT_EQ(refusal(Adjustment::affine, [](auto& fine) { fine.beta[0] = fine.centre[1] = -1; }), "");
  for (const double scale : {0.0, -1.0, nan, infinity})
    EXPECT_THAT(refusal(Adjustment::power, [&](auto& bad) { bad.scale = scale; }),
                HasSubstr("must be finite and above 0"));
  EXPECT_EQ(message_of([] { EigenvalueAdjustment().check(); }), "adjustment has no entries");
}

}  // namespace
}  // namespace dsk::test
