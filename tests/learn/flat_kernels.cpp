#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include "learn/learn.hpp"
#include "support/learn_cases.hpp"
#include "support/message.hpp"
#include "support/oracle_flat.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr Metric learnable_flat[] = {Metric::logeuclidean, Metric::powereuclidean, Metric::cholesky};

TEST(FlatKernel, WithoutAdjustmentIsThePlainKernelOfTheMetric) {
  const SpdBatch x = made_classes({.sizes = {20, 17}, .dim = 6}).matrices();
  const SpdBatch y = made_classes({.sizes = {5, 6}, .dim = 6, .seed = 9}).matrices();
  for (const Metric metric : learnable_flat) {
    const double theta = 0.2, zeta = 0.4;
    const LearnedKernel plain = LearnedKernel::plain(6, theta, metric, zeta);
    const KernelOptions options{.metric = metric, .theta = theta, .zeta = zeta};
    EXPECT_LE((kernel_matrix(plain, x) - kernel_matrix(x, options)).cwiseAbs().maxCoeff(), tolerance(6, 100));
    EXPECT_LE((kernel_matrix(plain, x, y) - kernel_matrix(x, y, options)).cwiseAbs().maxCoeff(), tolerance(6, 100));
  }
}

TEST(FlatKernel, ComparesAdjustedMatrices) {
  const Dataset data = made_classes({.sizes = {7, 5}, .dim = 5, .seed = 2});
  const OracleSet set(data);
  for (const Metric metric : learnable_flat)
    for (const Adjustment kind : all_adjustments()) {
      const EigenvalueAdjustment adjustment = uneven_adjustment(5, kind, 0.7);
      const LearnedKernel kernel(Transform(), adjustment, 0.3, metric, 0.6);
      const OracleMatrix expected = flat_distances(metric, 0.6L, set.spectra, OracleAdjustment::of(adjustment));
      const Matrix found = pairwise_divergences(kernel, data.matrices());
      // The same from the adjusted matrices, as a user of `adjust` would compare them.
      const Matrix by_matrices =
          pairwise_distances(kernel.adjust(data.matrices()), {.metric = metric, .squared = true, .zeta = 0.6});
      const double allowed =
          tolerance(5, condition(set.spectra, OracleAdjustment::of(adjustment)),
                    largest_squared_norm(metric, 0.6L, set.spectra, OracleAdjustment::of(adjustment)));
      for (Index i = 0; i < data.size(); ++i)
        for (Index j = 0; j < data.size(); ++j) {
          EXPECT_NEAR(found(i, j), static_cast<double>(expected(i, j)), allowed);
          EXPECT_NEAR(by_matrices(i, j), static_cast<double>(expected(i, j)), allowed);
        }
    }
}

TEST(FlatKernel, DividesByTheScaleEvenWhereNothingIsAdjusted) {
  const SpdBatch x = made_classes({.sizes = {4, 4}, .dim = 3}).matrices();
  EigenvalueAdjustment scaled = EigenvalueAdjustment::none(3);
  scaled.scale = 4;
  const LearnedKernel kernel(Transform(), scaled, 1, Metric::cholesky);
  const Matrix plain = pairwise_distances(x, {.metric = Metric::cholesky, .squared = true});
  EXPECT_LE((pairwise_divergences(kernel, x) - plain / 4).cwiseAbs().maxCoeff(), tolerance(3, 100, plain.maxCoeff()));
  EXPECT_LE((pairwise_distances(kernel.adjust(x), {.metric = Metric::cholesky, .squared = true}) - plain / 4)
                .cwiseAbs()
                .maxCoeff(),
            tolerance(3, 100, plain.maxCoeff()));
}

TEST(FlatKernel, NamesAMatrixThatLeavesTheRangeOfDouble) {
  const SpdBatch x = random_spd({.count = 3, .dim = 4, .condition = 100, .scale = 3});
  for (const Metric metric : {Metric::powereuclidean, Metric::cholesky}) {
    EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(4);
    adjustment.alpha.setConstant(1e4);
    const LearnedKernel kernel(Transform(), adjustment, 1, metric);
    const std::string says = message_of([&] { pairwise_divergences(kernel, x); });
    EXPECT_NE(says.find("matrix 0"), std::string::npos) << says;
    EXPECT_NE(says.find("the map of the metric"), std::string::npos) << says;
  }
}

TEST(FlatKernel, LearningImprovesTheObjectiveAndIsTheSameForAnyThreads) {
  const Dataset data = made_classes({.sizes = {40, 35, 60}, .dim = 6, .seed = 8});
  for (const Metric metric : learnable_flat)
    for (const Criterion criterion : all_criteria())
      for (const Adjustment adjustment : all_adjustments()) {
        SCOPED_TRACE(testing::Message() << name(metric) << ", " << name(criterion) << ", " << name(adjustment));
        FitOptions options{
            .metric = metric, .criterion = criterion, .adjustment = adjustment, .penalty = 1e-3, .max_iterations = 8};
        if (has_soft_margin(criterion)) options.c = 3, options.theta = 0.1;
        const LearnResult one = fit_kernel(data, options);
        EXPECT_EQ(one.kernel.metric(), metric);
        const double gain = one.fit.history.back() - one.fit.history.front();
        EXPECT_GT(is_maximised(criterion) ? gain : -gain, 0);
        if (criterion != Criterion::centred) continue;
        options.pairs.threads = 1;
        const LearnResult alone = fit_kernel(data, options);
        EXPECT_EQ(alone.kernel.adjustment().alpha, one.kernel.adjustment().alpha);
        EXPECT_EQ(alone.kernel.zeta(), one.kernel.zeta());
        EXPECT_EQ(alone.fit.history, one.fit.history);
      }
}

TEST(FlatKernel, LearnsZetaUnlessItIsGiven) {
  const Dataset data = made_classes({.sizes = {20, 15}, .dim = 4, .seed = 8});
  FitOptions options{.metric = Metric::powereuclidean, .criterion = Criterion::centred, .max_iterations = 10};
  EXPECT_NE(fit_kernel(data, options).kernel.zeta(), 0.5);
  options.zeta = 0.3;
  EXPECT_EQ(fit_kernel(data, options).kernel.zeta(), 0.3);
  options.metric = Metric::logeuclidean;
  EXPECT_EQ(message_of([&] { fit_kernel(data, options); }),
            "zeta is for the power-Euclidean metric; logeuclidean has none");
}

/// log(c X) = log X + log c I: distances stay, and what is learned about centred eigenvalues does too.
TEST(FlatKernel, LogEuclideanAffineDoesNotDependOnUnits) {
  const Dataset data = made_classes({.sizes = {20, 15, 10}, .dim = 4, .seed = 2});
  const FitOptions options{.metric = Metric::logeuclidean,
                           .criterion = Criterion::centred,
                           .adjustment = Adjustment::affine,
                           .penalty = 0.1,
                           .max_iterations = 5};
  const Dataset other = times(data, 1e-12);
  const Matrix here = kernel_matrix(fit_kernel(data, options).kernel, data.matrices());
  const Matrix there = kernel_matrix(fit_kernel(other, options).kernel, other.matrices());
  EXPECT_LE((here - there).cwiseAbs().maxCoeff(), tolerance(4, 1e5));
}

TEST(FlatKernel, DoesNotDependOnTheOrderOfMatrices) {
  const Dataset data = made_classes({.sizes = {14, 9, 6}, .dim = 4, .seed = 2}), other = reordered(data, 8);
  for (const Metric metric : learnable_flat) {
    const FitOptions options{.metric = metric,
                             .criterion = Criterion::centred,
                             .adjustment = Adjustment::affine,
                             .penalty = 0.1,
                             .max_iterations = 5};
    const Matrix here = kernel_matrix(fit_kernel(data, options).kernel, data.matrices());
    const Matrix there = kernel_matrix(fit_kernel(other, options).kernel, data.matrices());
    EXPECT_LE((here - there).cwiseAbs().maxCoeff(), tolerance(4, 1e5)) << name(metric);
  }
}

TEST(FlatKernel, LearningCanBeStoppedAndKeepsTheBest) {
  const Dataset data = made_classes({.sizes = {20, 15, 10}, .dim = 4, .seed = 2});
  for (const Metric metric : learnable_flat) {
    FitOptions options{.metric = metric, .criterion = Criterion::centred, .penalty = 0.01};
    double last = 0;
    options.on_iteration = [&](const Fit::Iteration& iteration) {
      last = iteration.objective;
      return iteration.number < 2;
    };
    const LearnResult stopped = fit_kernel(data, options);
    EXPECT_EQ(stopped.fit.stop, Fit::Stop::cancelled) << name(metric);
    EXPECT_EQ(stopped.fit.iterations, 2);
    EXPECT_NEAR(stopped.fit.history.back(), last, 1e-12);
    options.on_iteration = {};
    EXPECT_GE(fit_kernel(data, options).fit.history.back(), last);
  }
}

TEST(FlatKernel, LearnsInASubspaceOfItsOwnMetric) {
  const Dataset data = made_classes({.sizes = {20, 15, 10}, .dim = 6, .seed = 2});
  for (const Metric metric : learnable_flat) {
    const Subspace found = SubspaceLearner(data, {.metric = metric}).learn(2);
    EXPECT_EQ(found.projection.result_dim(), 2);
    EXPECT_GT(found.fit.criterion, found.fit.history.front());
    const LearnResult inside = fit_kernel(data, {.metric = metric, .criterion = Criterion::centred, .components = 2});
    EXPECT_EQ(inside.kernel.result_dim(), 2);
    EXPECT_EQ(kernel_matrix(inside.kernel, data.matrices()).rows(), data.size());
  }
}

TEST(FlatKernel, RefusesMetricsThatCannotBeLearned) {
  const Dataset data = made_classes({});
  EXPECT_EQ(message_of([&] { fit_kernel(data, {.metric = Metric::airm}); }),
            "kernels by the metric airm cannot be learned; use one of cholesky (chol), logeuclidean (logeuclid), "
            "powereuclidean (poweuclid), stein (logdet)");
}

}  // namespace
}  // namespace dsk::test
