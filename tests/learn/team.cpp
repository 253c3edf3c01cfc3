#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include <mutex>

#include "learn/minimise.hpp"
#include "support/learn_cases.hpp"
#include "support/made_classes.hpp"
#include "support/made_team.hpp"
#include "support/tolerance.hpp"

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

/// The same with weights that differ.
Dataset weighted(const Dataset& data) {
  std::vector<double> weights;
  for (Index i = 0; i < data.size(); ++i) weights.push_back(static_cast<double>(i * 7 % 5 + 1) / 2);
  return Dataset(data.matrices(), data.labels(), {}, weights);
}

std::vector<Criterion> criteria_for(const Dataset& data) {
  const std::span<const Criterion> all = all_criteria();
  if (data.weights().empty()) return {all.begin(), all.end()};
  return {Criterion::alignment, Criterion::separability, Criterion::centred, Criterion::neighbour};
}

class LearningTeams : public testing::TestWithParam<bool> {
 protected:
  static Dataset shared_set(const MadeClasses& made) {
    return GetParam() ? weighted(made_classes(made)) : made_classes(made);
  }
};

TEST_P(LearningTeams, HaveValuesAndGradientsOfOneProcess) {
  for (const MadeClasses& made : shared_sets) {
    const Dataset data = shared_set(made);
    for (const Criterion criterion : criteria_for(data)) {
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

/// The gradient by W and, last, by the logarithm of theta.
Eigen::VectorXd subspace_gradient(Criterion criterion, const Dataset& data, const PairOptions& options) {
  Matrix w(data.dim(), 2);
  for (Index k = 0; k < w.size(); ++k) w.data()[k] = std::sin(static_cast<double>(k + 1));
  detail::ProjectionSearch search(data.matrices(), w, 1);
  detail::Composition composition(detail::row_of(criterion), data, search, options);
  const detail::Descent descent(composition, search, {.theta = 0.7, .value = 1, .free_theta = true}, 0.1);
  Eigen::VectorXd gradient;
  descent(descent.start(), gradient);
  return gradient;
}

TEST_P(LearningTeams, HaveTheGradientOfASubspaceAndOfThetaOfOneProcess) {
  for (const MadeClasses& made : shared_sets) {
    const Dataset data = shared_set(made);
    for (const Criterion criterion : criteria_for(data)) {
      if (has_soft_margin(criterion)) continue;
      SCOPED_TRACE(name(criterion));
      const Eigen::VectorXd whole = subspace_gradient(criterion, data, {.threads = 1});
      EXPECT_GT(std::abs(whole[whole.size() - 1]), 1e-6) << "a wrong sum over ranks would not show";
      for (const int ranks : {2, 3, 9})
        as_team(ranks, [&](const Team& team) {
          const Eigen::VectorXd found = subspace_gradient(criterion, data, {.threads = 1, .team = &team});
          const double allowed = KernelRounding{2, 1e3, 0.7}.tolerance(whole.cwiseAbs().maxCoeff());
          EXPECT_LE((found - whole).cwiseAbs().maxCoeff(), allowed)
              << found.transpose() << " for " << whole.transpose();
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
  return data.with_matrices(SpdBatch(values, data.size(), dim));
}

/// Ranks add in another order than one process. What that may change in the learned parameters is measured: it is a few
/// times what rounding errors in the data change.
TEST_P(LearningTeams, LearnTheKernelOfOneProcess) {
  const Dataset data = shared_set(shared_sets[0]);
  for (const Criterion criterion : criteria_for(data))
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

INSTANTIATE_TEST_SUITE_P(Of, LearningTeams, testing::Bool(),
                         [](const auto& one) { return one.param ? "WeightedMatrices" : "EqualMatrices"; });

}  // namespace
}  // namespace dsk::test
