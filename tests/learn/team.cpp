#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include <mutex>

#include "support/learn_cases.hpp"
#include "support/made_classes.hpp"
#include "support/made_team.hpp"

namespace dsk::test {
namespace {

void expect_close(const Eigen::VectorXd& found, const Eigen::VectorXd& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  const double size = std::max(1.0, wanted.cwiseAbs().maxCoeff());
  EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), tolerance * size)
      << found.transpose() << " for " << wanted.transpose();
}

/// One pass over the pairs, and two; blocks that fill up lanes, and not.
const MadeClasses shared_sets[] = {{.sizes = {20, 14, 9, 7}, .dim = 5, .seed = 3},
                                   {.sizes = {11, 8, 6}, .dim = 24, .seed = 4}};

TEST(LearningTeams, HaveValuesAndGradientsOfOneProcess) {
  for (const MadeClasses& made : shared_sets) {
    const Dataset data = made_classes(made);
    for (const Criterion criterion : all_criteria()) {
      SCOPED_TRACE(name(criterion));
      const LearnedKernel kernel = LearnedKernel::plain(made.dim, 0.5 * static_cast<double>(made.dim));
      const CriterionFunction::Gradient whole = CriterionFunction(criterion, data)(kernel, 3);
      const std::vector<double> thetas{0.5, 4, 60}, cs{1, 30};
      const Matrix plain = CriterionFunction(criterion, data).plain_values(thetas, cs);
      for (const int ranks : {2, 3, 9})
        as_team(ranks, [&](const Team& team) {
          const CriterionFunction function(criterion, data, {.threads = 1, .team = &team});
          const CriterionFunction::Gradient found = function(kernel, 3);
          EXPECT_NEAR(found.value, whole.value, 1e-13 * std::abs(whole.value));
          EXPECT_NEAR(found.by_log_c, whole.by_log_c, 1e-13 * std::max(1.0, std::abs(whole.by_log_c)));
          expect_close(found.by_slope, whole.by_slope, 1e-13);
          expect_close(found.by_intercept, whole.by_intercept, 1e-13);
          EXPECT_LE(((function.plain_values(thetas, cs) - plain).array() / plain.array()).abs().maxCoeff(), 1e-13);
        });
    }
  }
}

/// The data with every row and column scaled by one rounding error or none.
Dataset rounded_differently(const Dataset& data) {
  std::vector<double> values(data.matrices().values().begin(), data.matrices().values().end());
  const Index dim = data.dim();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto c = static_cast<Index>(k) % dim, r = static_cast<Index>(k) / dim % dim;
    for (const Index at : {r, c}) values[k] *= at % 2 == 0 ? 1 + std::numeric_limits<double>::epsilon() : 1;
  }
  return Dataset(SpdBatch(values, data.size(), dim), data.labels());
}

/// Ranks add in another order than one process. What that may change in the learned parameters is measured: it is a few
/// times what rounding errors in the data change.
TEST(LearningTeams, LearnTheKernelOfOneProcess) {
  const Dataset data = made_classes(shared_sets[0]);
  for (const Criterion criterion : all_criteria())
    for (const Adjustment adjustment : all_adjustments()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", " << name(adjustment));
      FitOptions options{.criterion = criterion, .adjustment = adjustment, .penalty = 0.02};
      const auto [kernel, fit] = fit_kernel(data, options);
      const EigenvalueAdjustment other = fit_kernel(rounded_differently(data), options).kernel.adjustment();
      const double moved = std::max((other.alpha - kernel.adjustment().alpha).cwiseAbs().maxCoeff(),
                                    (other.beta - kernel.adjustment().beta).cwiseAbs().maxCoeff());
      const double allowed = std::max(1e-12, 8 * moved);
      std::vector<Eigen::VectorXd> alphas;
      std::mutex mutex;
      for (int run = 0; run < 2; ++run)
        as_team(3, [&, wanted = kernel, history = fit.history, allowed](const Team& team) {
          FitOptions shared = options;
          shared.pairs = {.threads = 1 + team.rank() % 2, .team = &team};
          const LearnResult found = fit_kernel(data, shared);
          EXPECT_EQ(found.kernel.theta(), wanted.theta());
          EXPECT_EQ(found.fit.history.size(), history.size());
          expect_close(found.kernel.adjustment().alpha, wanted.adjustment().alpha, allowed);
          expect_close(found.kernel.adjustment().beta, wanted.adjustment().beta, allowed);
          const std::scoped_lock lock(mutex);
          alphas.push_back(found.kernel.adjustment().alpha);
        });
      for (const Eigen::VectorXd& alpha : alphas) EXPECT_EQ(alpha, alphas[0]) << "ranks or runs differ";
    }
}

}  // namespace
}  // namespace dsk::test
