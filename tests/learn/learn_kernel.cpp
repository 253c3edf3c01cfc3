#include <dsk/learn.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <functional>

#include "learn/learn.hpp"
#include "support/learn_cases.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

double penalty_of(const EigenvalueAdjustment& adjustment) {
  return (adjustment.alpha.array() - 1).square().sum() + adjustment.beta.squaredNorm();
}

/// The larger the better.
double merit(Criterion criterion, double objective) {
  return is_maximised(criterion) ? objective : -objective;
}

template <class Check>
void for_each_method(const Check& check) {
  for (const Criterion criterion : all_criteria())
    for (const Adjustment adjustment : all_adjustments()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", " << name(adjustment));
      check(criterion, adjustment);
    }
}

/// Climbs from a point by trying each coordinate up and down, with steps that halve where nothing helps: slow, and
/// without any derivative.
double climbed(const std::function<double(const Eigen::VectorXd&)>& merit_at, Eigen::VectorXd point) {
  double best = merit_at(point);
  for (double step = 0.25; step > 1e-4; step /= 2)
    for (bool moved = true; moved;) {
      moved = false;
      for (Index k = 0; k < point.size(); ++k)
        for (const double by : {step, -step}) {
          Eigen::VectorXd there = point;
          there[k] += by;
          const double found = merit_at(there);
          if (found > best) best = found, point = there, moved = true;
        }
    }
  return best;
}

/// The search by gradients must come as far as one that only compares values; those of criteria without C come from the
/// oracle.
TEST(LearnKernel, ComesAsFarAsASearchWithoutDerivatives) {
  const double penalty = 0.05;
  for (const Index dim : {1, 2, 3}) {
    const Dataset data = made_classes({.sizes = {9, 6}, .dim = dim, .seed = 6});
    const OracleSet set(data);
    for (const Criterion criterion : all_criteria()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", d = " << dim);
      const auto [kernel, fit] =
          fit_kernel(data, {.criterion = criterion, .penalty = penalty, .max_iterations = 300, .tolerance = 1e-9});
      const CriterionFunction function(criterion, data);
      const double theta = kernel.theta();
      const bool soft = has_soft_margin(criterion);
      const auto merit_at = [&](const Eigen::VectorXd& point) {
        EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(dim);
        adjustment.alpha = point.head(dim);
        const double value =
            soft ? function(LearnedKernel(adjustment, theta), std::exp(point[dim])).value
                 : static_cast<double>(
                       set.criteria(criterion, set.kernel(OracleAdjustment::of(adjustment), theta), 1).value);
        return merit(criterion, value) - penalty * penalty_of(adjustment);
      };
      Eigen::VectorXd start = Eigen::VectorXd::Ones(dim + (soft ? 1 : 0));
      if (soft) start[dim] = std::log(best_plain_kernel(data, {.criterion = criterion}).c);
      const double plain = merit_at(start), best = climbed(merit_at, start);
      const double found = merit(criterion, fit.history.back());
      EXPECT_GE(found, best - 1e-3 * std::abs(best - plain) - 1e-7 * std::abs(best));
      EXPECT_EQ(fit.iterations, static_cast<int>(fit.history.size()) - 1);
      EXPECT_GE(fit.evaluations, fit.iterations);
    }
  }
}

TEST(LearnKernel, ReportsTheObjectiveOfItsKernel) {
  const Dataset data = made_classes({.sizes = {14, 10}, .dim = 4, .seed = 2});
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    const double penalty = 0.02;
    const auto [kernel, fit] = fit_kernel(
        data, {.criterion = criterion, .adjustment = adjustment, .penalty = penalty, .scale = {Scale::Kind::unit}});
    const CriterionFunction::Gradient found =
        CriterionFunction(criterion, data)(kernel, has_soft_margin(criterion) ? fit.c : 1);
    const OracleSet set(data);
    const KernelRounding rounding{4, condition(set.spectra, OracleAdjustment::of(kernel.adjustment())), kernel.theta(),
                                  1 + static_cast<double>(data.size()) * fit.c};
    const double allowed = rounding.tolerance(std::abs(found.value));
    EXPECT_NEAR(fit.criterion, found.value, allowed);
    const double objective =
        merit(criterion, merit(criterion, found.value) - penalty * penalty_of(kernel.adjustment()));
    EXPECT_NEAR(fit.history.back(), objective, allowed);
    EXPECT_EQ(fit.c > 0, has_soft_margin(criterion));
  });
}

TEST(LearnKernel, ReportsTheObjectiveOfItsKernelAfterAFailedLineSearch) {
  int failed = 0;
  for (const std::uint64_t seed : {1U, 4U}) {
    const Dataset data = made_classes({.sizes = {12, 7, 3}, .dim = 1, .scale = seed == 1 ? 1 : 1e3, .seed = seed});
    const Fit fit = fit_kernel(data, {.criterion = Criterion::separability}).fit;
    failed += fit.stop == Fit::Stop::line_search ? 1 : 0;
    EXPECT_EQ(fit.history.back(), fit.criterion);
    EXPECT_EQ(fit.iterations, static_cast<int>(fit.history.size()) - 1);
  }
  EXPECT_GT(failed, 0) << "no line search fails any more: find other data";
}

TEST(LearnKernel, RaisesTheCriterionWhereItCan) {
  const Dataset data = made_classes({.sizes = {20, 20}, .dim = 5, .seed = 4});
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    const Fit fit = fit_kernel(data, {.criterion = criterion, .adjustment = adjustment}).fit;
    EXPECT_GT(merit(criterion, fit.history.back()), merit(criterion, fit.history.front()));
    EXPECT_THAT(fit.stop, AnyOf(Fit::Stop::converged, Fit::Stop::iteration_limit, Fit::Stop::line_search));
  });
}

TEST(LearnKernel, HistoryStartsWithThePlainKernel) {
  const Dataset data = made_classes({.sizes = {14, 10}, .dim = 4});
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    const PlainKernel plain = best_plain_kernel(data, {.criterion = criterion, .adjustment = adjustment});
    const auto [kernel, fit] = fit_kernel(data, {.criterion = criterion, .adjustment = adjustment, .penalty = 1});
    EXPECT_EQ(fit.history.front(), plain.value);
    EXPECT_EQ(kernel.theta(), plain.theta);
  });
}

TEST(LearnKernel, IsPositiveDefinite) {
  const Dataset data = made_classes({.sizes = {25, 25}, .dim = 5, .seed = 1});
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    const LearnedKernel kernel =
        fit_kernel(data, {.criterion = criterion, .adjustment = adjustment, .penalty = 1e-3}).kernel;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(kernel_matrix(kernel, data.matrices()), Eigen::EigenvaluesOnly);
    const OracleSet set(data);
    const KernelRounding rounding{5, condition(set.spectra, OracleAdjustment::of(kernel.adjustment())), kernel.theta()};
    EXPECT_GE(solver.eigenvalues()(0), -rounding.tolerance(static_cast<double>(data.size())));
  });
}

TEST(LearnKernel, StopsWhenTheCallbackAsksForIt) {
  const Dataset data = made_classes({.sizes = {20, 20}, .dim = 5, .seed = 4});
  std::vector<Fit::Iteration> seen;
  const auto [kernel, fit] = fit_kernel(data, {.criterion = Criterion::separability,
                                               .adjustment = Adjustment::affine,
                                               .tolerance = 0,
                                               .on_iteration = [&](const Fit::Iteration& iteration) {
                                                 seen.push_back(iteration);
                                                 return iteration.number < 3;
                                               }});
  EXPECT_EQ(fit.stop, Fit::Stop::cancelled);
  EXPECT_EQ(fit.iterations, 3);
  ASSERT_EQ(seen.size(), 3U);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].number, static_cast<int>(k) + 1);
    EXPECT_EQ(seen[k].objective, fit.history[k + 1]);
    EXPECT_GT(seen[k].gradient_norm, 0);
  }
  const double best = *std::max_element(fit.history.begin(), fit.history.end());
  EXPECT_GE(fit.criterion, best);
  EXPECT_NEAR(CriterionFunction(Criterion::separability, data)(kernel).value, fit.criterion,
              tolerance(5, 1e3, fit.criterion));
}

TEST(LearnKernel, WithoutIterationsIsThePlainKernel) {
  const Dataset data = made_classes({.dim = 4});
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    const auto [kernel, fit] =
        fit_kernel(data, {.criterion = criterion, .adjustment = adjustment, .max_iterations = 0});
    EXPECT_TRUE(kernel.adjustment().is_none());
    EXPECT_EQ(fit.stop, Fit::Stop::iteration_limit);
    EXPECT_EQ(fit.iterations, 0);
    EXPECT_THAT(fit.history, ElementsAre(fit.criterion));
  });
}

TEST(LearnKernel, TakesOneIterationIfAsked) {
  const Dataset data = made_classes({.sizes = {20, 20}, .dim = 5, .seed = 4});
  const auto [kernel, fit] = fit_kernel(data, {.adjustment = Adjustment::affine, .max_iterations = 1});
  EXPECT_EQ(fit.stop, Fit::Stop::iteration_limit);
  EXPECT_EQ(fit.iterations, 1);
  EXPECT_EQ(fit.history.size(), 2U);
  EXPECT_FALSE(kernel.adjustment().is_none());
}

TEST(LearnKernel, WithInfinitePenaltyIsThePlainKernel) {
  const Dataset data = made_classes({.sizes = {14, 10}, .dim = 4});
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    const auto [kernel, fit] =
        fit_kernel(data, {.criterion = criterion, .adjustment = adjustment, .penalty = infinity});
    EXPECT_TRUE(kernel.adjustment().is_none());
    EXPECT_EQ(kernel_matrix(kernel, data.matrices()),
              kernel_matrix(LearnedKernel::plain(4, kernel.theta()), data.matrices()));
    EXPECT_THAT(fit.history, ElementsAre(fit.criterion));
    EXPECT_EQ(fit.iterations, 0);
  });
}

TEST(LearnKernel, LargePenaltyKeepsTheAdjustmentSmall) {
  const Dataset data = made_classes({.sizes = {14, 10}, .dim = 4});
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    const auto moved = [&](double penalty) {
      return std::sqrt(penalty_of(
          fit_kernel(data, {.criterion = criterion, .adjustment = adjustment, .penalty = penalty, .tolerance = 1e-9})
              .kernel.adjustment()));
    };
    // Where the objective is best, 2 penalty |alpha - 1| is at most the criterion's slope, which the plain kernel's
    // bounds up to a factor that does not grow with the penalty.
    const double some = moved(1e3), less = moved(1e5);
    EXPECT_LT(some, 0.1);
    EXPECT_LT(less, some / 10);
  });
}

TEST(LearnKernel, StartsFromAlpha0AndIsDrawnToIt) {
  const Dataset data = made_classes({.sizes = {14, 10}, .dim = 4});
  const std::vector<double> alpha0{1.3, 0.9, 0.8, 0.7};
  const Eigen::Map<const Eigen::VectorXd> wanted(alpha0.data(), 4);
  for_each_method([&](Criterion criterion, Adjustment adjustment) {
    FitOptions options{.criterion = criterion, .adjustment = adjustment, .alpha0 = alpha0, .max_iterations = 0};
    const auto [first, unmoved] = fit_kernel(data, options);
    EXPECT_LT((first.adjustment().alpha - wanted).norm(), tolerance(4, 1));
    const double value = CriterionFunction(criterion, data)(first, unmoved.c).value;
    EXPECT_NEAR(unmoved.history.front(), value, tolerance(4, 1e3, std::abs(value)));

    options.max_iterations = 100;
    options.penalty = 1e5;
    EXPECT_LT((fit_kernel(data, options).kernel.adjustment().alpha - wanted).norm(), 0.02);
    options.penalty = infinity;
    EXPECT_TRUE(fit_kernel(data, options).kernel.adjustment().is_none());
  });
  const FitOptions one{.penalty = 0.1, .alpha0 = {0.8}}, all{.penalty = 0.1, .alpha0 = {0.8, 0.8, 0.8, 0.8}};
  EXPECT_EQ(fit_kernel(data, one).kernel.adjustment().alpha, fit_kernel(data, all).kernel.adjustment().alpha);
  // The value at the start, by which the optimiser divides, is rounded differently.
  EXPECT_LT((fit_kernel(data, {.penalty = 0.1, .alpha0 = {1}}).kernel.adjustment().alpha -
             fit_kernel(data, {.penalty = 0.1}).kernel.adjustment().alpha)
                .norm(),
            1e-8);
}

TEST(LearnKernel, KeepsGivenThetaAndStartsFromGivenC) {
  const Dataset data = made_classes({.sizes = {14, 10}, .dim = 4});
  EXPECT_EQ(fit_kernel(data, {.theta = 7.25}).kernel.theta(), 7.25);
  const auto [kernel, fit] =
      fit_kernel(data, {.criterion = Criterion::radius_margin, .theta = 2, .c = 30, .max_iterations = 0});
  EXPECT_EQ(kernel.theta(), 2);
  EXPECT_NEAR(fit.c, 30, tolerance(1, 1, 30));
}

TEST(LearnKernel, RefusesInvalidThetaUnlessAllowed) {
  const Dataset data = made_classes({.dim = 4});
  for (const double theta : {0.3, 0.7, 1.49}) {
    EXPECT_THAT(message_of([&] { fit_kernel(data, {.theta = theta}); }), testing::HasSubstr("is not valid"));
    EXPECT_THAT(message_of([&] { best_plain_kernel(data, {.theta = theta}); }), testing::HasSubstr("is not valid"));
    EXPECT_EQ(fit_kernel(data, {.theta = theta, .allow_indefinite = true}).kernel.theta(), theta);
  }
}

TEST(LearnKernel, RefusesBadOptions) {
  const Dataset data = made_classes({.dim = 3});
  const auto refusal = [&](const FitOptions& options) { return message_of([&] { fit_kernel(data, options); }); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({.penalty = -1}), "penalty -1 must be 0 or more");
  EXPECT_EQ(refusal({.penalty = nan}), "penalty nan must be 0 or more");
  EXPECT_EQ(refusal({.alpha0 = {1, 2}}), "alpha0 has 2 values; it must have 1, or 3 for 3 eigenvalues");
  EXPECT_EQ(refusal({.alpha0 = {nan}}), "alpha0 nan must be finite");
  EXPECT_EQ(refusal({.adjustment = Adjustment::coefficient, .alpha0 = {0}}), "alpha0 0 must be finite and above 0");
  EXPECT_EQ(refusal({.max_iterations = -1}), "max_iterations -1 must be 0 or more");
  EXPECT_EQ(refusal({.tolerance = nan}), "tolerance nan must be 0 or more");
  EXPECT_EQ(refusal({.criterion = Criterion::radius_margin, .c = 0}), "C 0 must be finite and above 0");
  EXPECT_EQ(refusal({.theta = 0, .allow_indefinite = true}), "theta 0 must be finite and above 0");
  EXPECT_EQ(refusal({.scale = {Scale::Kind::number, -2}}), "scale -2 must be finite and above 0");
  EXPECT_EQ(refusal({.pairs = {.threads = -1}}), "threads is -1, but must be 0 (all cores) or more");
}

}  // namespace
}  // namespace dsk::test
