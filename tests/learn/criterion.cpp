#include <dsk/learn.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/learn_cases.hpp"
#include "support/message.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

TEST(Criterion, IsReadByNameAndByLetters) {
  for (const Criterion criterion : all_criteria()) EXPECT_EQ(parse_criterion(name(criterion)), criterion);
  EXPECT_EQ(parse_criterion("ka"), Criterion::alignment);
  EXPECT_EQ(parse_criterion("cs"), Criterion::separability);
  EXPECT_EQ(parse_criterion("rm"), Criterion::radius_margin);
  EXPECT_EQ(parse_criterion("tm"), Criterion::trace_margin);
  EXPECT_EQ(message_of([] { parse_criterion("margin"); }),
            "unknown criterion 'margin'; use one of alignment (ka), separability (cs), radius-margin (rm), "
            "trace-margin (tm), "
            "centred (ca), neighbour (nn)");
  EXPECT_THAT(message_of([] { name(static_cast<Criterion>(17)); }), HasSubstr("17"));
}

TEST(Criterion, KnowsItsKind) {
  for (const Criterion criterion : all_criteria()) {
    const bool margin = criterion == Criterion::radius_margin || criterion == Criterion::trace_margin;
    EXPECT_EQ(has_soft_margin(criterion), margin);
    EXPECT_EQ(is_maximised(criterion), !margin);
  }
}

TEST(Scale, IsReadFromText) {
  EXPECT_EQ(Scale::parse("none").kind, Scale::Kind::none);
  EXPECT_EQ(Scale::parse("unit").kind, Scale::Kind::unit);
  EXPECT_EQ(Scale::parse("2.5e-3").kind, Scale::Kind::number);
  EXPECT_EQ(Scale::parse("2.5e-3").factor, 2.5e-3);
  for (const std::string_view text : {"", "0", "-1", "inf", "nan", "1x", " 1", "Unit"})
    EXPECT_THAT(message_of([&] { Scale::parse(text); }), HasSubstr("is not none, unit or a number above 0")) << text;
}

TEST(StopReason, HasAName) {
  EXPECT_EQ(name(Fit::Stop::converged), "converged");
  EXPECT_EQ(name(Fit::Stop::iteration_limit), "iteration_limit");
  EXPECT_EQ(name(Fit::Stop::line_search), "line_search");
  EXPECT_EQ(name(Fit::Stop::cancelled), "cancelled");
}

TEST(PlainValues, MeetTheOracle) {
  const std::vector<double> factors{0.1, 1, 8}, cs{0.1, 1, 50};
  for (const Index dim : {1, 4, 16}) {
    const Dataset data = made_classes({.sizes = {40, 30, 9, 1}, .dim = dim});
    const OracleSet set(data);
    const OracleAdjustment none = OracleAdjustment::of(EigenvalueAdjustment::none(dim));
    const OracleMatrix divergences = oracle_divergences(set.spectra, none);
    std::vector<double> thetas;
    for (const double factor : factors) thetas.push_back(factor / median(divergences));
    for (const Criterion criterion :
         {Criterion::alignment, Criterion::separability, Criterion::centred, Criterion::neighbour})
      on_every_target([&] {
        const Matrix found = CriterionFunction(criterion, data).plain_values(thetas, cs);
        ASSERT_EQ(found.rows(), 3);
        ASSERT_EQ(found.cols(), 3);
        for (Index t = 0; t < 3; ++t) {
          const double theta = thetas[static_cast<std::size_t>(t)];
          const auto expected =
              static_cast<double>(set.criteria(criterion, oracle_kernel(divergences, theta), 1).value);
          const KernelRounding rounding{dim, condition(set.spectra, none), theta};
          for (Index k = 0; k < 3; ++k)
            EXPECT_NEAR(found(t, k), expected, rounding.tolerance(std::abs(expected))) << name(criterion);
        }
      });
  }
}

TEST(PlainValues, OfMarginsMeetTheOracle) {
  const std::vector<double> cs{0.1, 1, 50};
  const Dataset data = made_classes({.sizes = {10, 7, 3, 1}, .dim = 3});
  const OracleSet set(data);
  const OracleAdjustment none = OracleAdjustment::of(EigenvalueAdjustment::none(3));
  const OracleMatrix divergences = oracle_divergences(set.spectra, none);
  const std::vector<double> thetas{0.3 / median(divergences), 3 / median(divergences)};
  for (const Criterion criterion : {Criterion::radius_margin, Criterion::trace_margin}) {
    const Matrix found = CriterionFunction(criterion, data).plain_values(thetas, cs);
    for (std::size_t t = 0; t < thetas.size(); ++t)
      for (std::size_t k = 0; k < cs.size(); ++k) {
        const auto expected =
            static_cast<double>(set.criteria(criterion, oracle_kernel(divergences, thetas[t]), cs[k]).value);
        const KernelRounding rounding{3, condition(set.spectra, none), thetas[t],
                                      1 + static_cast<double>(data.size()) * cs[k]};
        EXPECT_NEAR(found(static_cast<Index>(t), static_cast<Index>(k)), expected, rounding.tolerance(expected));
      }
  }
}

TEST(CriterionFunction, GivesLogarithmsOfEigenvaluesDescending) {
  const Dataset data = made_classes({.dim = 5});
  const Matrix logs = CriterionFunction(Criterion::alignment, data).log_eigenvalues();
  const OracleSet set(data);
  for (Index i = 0; i < data.size(); ++i)
    for (Index z = 0; z < 5; ++z)
      EXPECT_NEAR(logs(i, z),
                  static_cast<double>(set.spectra[static_cast<std::size_t>(i)].logs[static_cast<std::size_t>(z)]),
                  tolerance(5, 1e2));
}

TEST(CriterionFunction, KeepsItsStateWhenMoved) {
  const Dataset data = made_classes({.dim = 4});
  for (const Criterion criterion : all_criteria()) {
    CriterionFunction first(criterion, data);
    const LearnedKernel kernel(uneven_adjustment(4, Adjustment::power), 2);
    const double expected = first(kernel, 2).value;
    CriterionFunction second(std::move(first));
    EXPECT_EQ(second(kernel, 2).value, expected);
    CriterionFunction third(Criterion::alignment, made_classes({.dim = 2}));
    third = std::move(second);
    EXPECT_EQ(third(kernel, 2).value, expected);
  }
}

TEST(CriterionFunction, NeighbourSurvivesAKernelThatUnderflows) {
  const SpdBatch x = random_spd({.count = 8, .dim = 12, .condition = 1e10});
  const Dataset data(x, Labels(std::vector<long long>{0, 0, 0, 0, 1, 1, 1, 1}));
  const double theta = 500;
  ASSERT_EQ((kernel_matrix(LearnedKernel::plain(12, theta), x) - Matrix::Identity(8, 8)).cwiseAbs().maxCoeff(), 0);
  const CriterionFunction::Gradient found =
      CriterionFunction(Criterion::neighbour, data)(LearnedKernel::plain(12, theta));
  EXPECT_TRUE(std::isfinite(found.value));
  EXPECT_LT(found.value, 0);
  EXPECT_TRUE(found.by_slope.allFinite());
  EXPECT_GT(found.by_slope.norm(), 0);
}

TEST(CriterionFunction, RefusesBadInput) {
  const Dataset data = made_classes({.dim = 3});
  const CriterionFunction function(Criterion::radius_margin, data);
  for (const double c : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(message_of([&] { function(LearnedKernel::plain(3, 1), c); }), HasSubstr("must be finite and above 0"));
  EXPECT_EQ(message_of([&] { function(LearnedKernel::plain(4, 1)); }),
            "a kernel for matrices of size 4 cannot take matrices of size 3");
  EigenvalueAdjustment huge = EigenvalueAdjustment::none(3);
  huge.alpha.setConstant(1e6);
  EXPECT_THAT(message_of([&] { function(LearnedKernel(huge, 1)); }),
              HasSubstr("the adjusted eigenvalues leave the range of double"));
}

}  // namespace
}  // namespace dsk::test
