#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include "learn/learn.hpp"
#include "support/learn_cases.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

Dataset renamed(const Dataset& data, const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  for (const int code : data.labels().codes()) labels.push_back(names[static_cast<std::size_t>(code)]);
  return Dataset(data.matrices(), Labels(labels));
}

double largest_difference(const LearnedKernel& a, const Dataset& x, const LearnedKernel& b, const Dataset& y) {
  return (kernel_matrix(a, x.matrices()) - kernel_matrix(b, y.matrices())).cwiseAbs().maxCoeff();
}

void expect_same_bits(const LearnResult& a, const LearnResult& b) {
  EXPECT_EQ(a.kernel.theta(), b.kernel.theta());
  EXPECT_EQ(a.kernel.adjustment().alpha, b.kernel.adjustment().alpha);
  EXPECT_EQ(a.kernel.adjustment().beta, b.kernel.adjustment().beta);
  EXPECT_EQ(a.kernel.adjustment().centre, b.kernel.adjustment().centre);
  EXPECT_EQ(a.fit.history, b.fit.history);
  EXPECT_EQ(a.fit.criterion, b.fit.criterion);
  EXPECT_EQ(a.fit.c, b.fit.c);
}

/// Few iterations: later ones magnify rounding without bound where the objective is flat.
FitOptions few_iterations(Criterion criterion, Adjustment adjustment) {
  return {.criterion = criterion, .adjustment = adjustment, .penalty = 0.1, .max_iterations = 5};
}

/// Each iteration may magnify what it gets by a modest factor.
double few_iterations_tolerance(const Dataset& data, const LearnResult& result) {
  const OracleSet set(data);
  const OracleAdjustment adjustment = OracleAdjustment::of(result.kernel.adjustment());
  const KernelRounding rounding{data.dim(), condition(set.spectra, adjustment), result.kernel.theta(),
                                1 + static_cast<double>(data.size()) * result.fit.c};
  return rounding.tolerance(std::ldexp(1, result.fit.iterations));
}

TEST(LearnKernel, DoesNotDependOnTheOrderOfMatrices) {
  const Dataset data = made_classes({.sizes = {14, 9, 6}, .dim = 4, .seed = 2});
  const Dataset other = reordered(data, 8);
  for (const Criterion criterion : all_criteria())
    for (const Adjustment adjustment : all_adjustments()) {
      const FitOptions options = few_iterations(criterion, adjustment);
      const LearnResult expected = fit_kernel(data, options), found = fit_kernel(other, options);
      EXPECT_LE(largest_difference(expected.kernel, data, found.kernel, data), few_iterations_tolerance(data, expected))
          << name(criterion) << ", " << name(adjustment);
    }
}

TEST(LearnKernel, DoesNotDependOnTheNamesOfClasses) {
  const Dataset data = made_classes({.sizes = {14, 9, 6}, .dim = 4, .seed = 2});
  for (const Criterion criterion : all_criteria()) {
    SCOPED_TRACE(name(criterion));
    const FitOptions options = few_iterations(criterion, Adjustment::affine);
    const LearnResult expected = fit_kernel(renamed(data, {"a", "b", "c"}), options);
    expect_same_bits(expected, fit_kernel(renamed(data, {"wood", "bark", "9"}), options));
    expect_same_bits(expected, fit_kernel(renamed(data, {"b", "c", "a"}), options));
  }
}

TEST(LearnKernel, IgnoresNamesWithoutMembers) {
  const Dataset data = made_classes({.sizes = {14, 9, 6}, .dim = 4, .seed = 2});
  std::vector<Index> first_and_last;
  std::vector<std::string> labels;
  for (Index i = 0; i < data.size(); ++i)
    if (data.labels()[i] != 1) {
      first_and_last.push_back(i);
      labels.push_back(data.labels()[i] == 0 ? "a" : "b");
    }
  const Dataset chosen = data.select(first_and_last), fresh(chosen.matrices(), Labels(labels));
  for (const Criterion criterion : all_criteria())
    expect_same_bits(fit_kernel(chosen, few_iterations(criterion, Adjustment::power)),
                     fit_kernel(fresh, few_iterations(criterion, Adjustment::power)));
}

TEST(LearnKernel, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Index dim : {5, 20}) {
    const Dataset few = made_classes({.sizes = {110, 110, 80}, .dim = dim});
    const Dataset many = made_classes({.sizes = {300, 300, 200}, .dim = dim});
    for (const Criterion criterion : all_criteria()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", d = " << dim);
      const Dataset& data = has_soft_margin(criterion) || dim > 5 ? few : many;
      FitOptions options = few_iterations(criterion, Adjustment::affine);
      options.theta = dim == 5 ? 3 : 9.5;
      options.c = 2;
      options.max_iterations = 2;
      options.pairs.threads = 1;
      const LearnResult one = fit_kernel(data, options);
      options.pairs.threads = 2;
      expect_same_bits(one, fit_kernel(data, options));
    }
  }
}

TEST(BestPlainKernel, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset many = made_classes({.sizes = {300, 300, 200}, .dim = 5});
  for (const Criterion criterion :
       {Criterion::alignment, Criterion::separability, Criterion::centred, Criterion::neighbour}) {
    const PlainKernel one = best_plain_kernel(many, {.criterion = criterion, .pairs = {.threads = 1}});
    const PlainKernel two = best_plain_kernel(many, {.criterion = criterion, .pairs = {.threads = 2}});
    EXPECT_EQ(one.theta, two.theta) << name(criterion);
    EXPECT_EQ(one.value, two.value) << name(criterion);
  }
}

TEST(LearnKernel, DoesNotDependOnUnitsWhereItPromises) {
  const Dataset data = made_classes({.sizes = {14, 9, 6}, .dim = 4, .seed = 2});
  for (const Criterion criterion : all_criteria())
    for (const double factor : {1e-12, 1e-4, 7.0, 1e12})
      for (const auto& [adjustment, kind] : {std::pair{Adjustment::affine, Scale::Kind::none},
                                             {Adjustment::affine, Scale::Kind::unit},
                                             {Adjustment::coefficient, Scale::Kind::none},
                                             {Adjustment::power, Scale::Kind::unit}}) {
        SCOPED_TRACE(testing::Message() << name(criterion) << ", " << name(adjustment) << ", times " << factor);
        FitOptions options = few_iterations(criterion, adjustment);
        options.scale.kind = kind;
        const Dataset other = times(data, factor);
        const LearnResult expected = fit_kernel(data, options), found = fit_kernel(other, options);
        EXPECT_LE(largest_difference(expected.kernel, data, found.kernel, other),
                  few_iterations_tolerance(data, expected));
      }
}

TEST(LearnKernel, WithPowerAndWithoutScaleDependsOnUnits) {
  const Dataset data = made_classes({.sizes = {14, 9, 6}, .dim = 4, .seed = 2});
  const FitOptions options = few_iterations(Criterion::alignment, Adjustment::power);
  const Dataset other = times(data, 1e-4);
  EXPECT_GT(largest_difference(fit_kernel(data, options).kernel, data, fit_kernel(other, options).kernel, other), 1e-3);
}

TEST(LearnKernel, WithAScaleIsThatOfScaledData) {
  const Dataset data = made_classes({.sizes = {14, 9, 6}, .dim = 4, .seed = 2});
  FitOptions options = few_iterations(Criterion::alignment, Adjustment::power);
  const LearnResult expected = fit_kernel(times(data, 1 / 32.0), options);
  options.scale = Scale::parse("32");
  const LearnResult found = fit_kernel(data, options);
  EXPECT_LE((found.kernel.adjustment().alpha - expected.kernel.adjustment().alpha).cwiseAbs().maxCoeff(),
            few_iterations_tolerance(data, expected));
  EXPECT_EQ(found.kernel.adjustment().scale, 32);
}

}  // namespace
}  // namespace dsk::test
