#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>

#include "support/cuda_device.hpp"
#include "support/learn_cases.hpp"
#include "support/made_team.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class CudaLearning : public OnCuda {};

TEST_F(CudaLearning, ValuesAndGradientsAgreeWithTheCpu) {
  for (const Index dim : {2, 5, 8, 12, 20, 43}) {
    const Dataset train = wishart_classes({.classes = 3, .per_class = 25, .dim = dim, .degrees = 3 * dim});
    EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(dim, Adjustment::affine);
    for (Index z = 0; z < dim; ++z) {
      adjustment.alpha[z] = 1 + 0.3 * std::sin(static_cast<double>(z));
      adjustment.beta[z] = 0.2 * std::cos(static_cast<double>(z));
    }
    const LearnedKernel kernel(adjustment, 1.7);
    for (const Criterion criterion : all_criteria()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", d = " << dim);
      const CriterionFunction here(criterion, train), there(criterion, train, cuda);
      const CriterionFunction::Gradient expected = here(kernel, 3), found = there(kernel, 3);
      const KernelRounding rounding{dim, 1e3, kernel.theta(), has_soft_margin(criterion) ? 1 + 75 * 3.0 : 1};
      EXPECT_NEAR(found.value, expected.value, rounding.tolerance(std::abs(expected.value)));
      EXPECT_NEAR(found.by_log_c, expected.by_log_c, rounding.tolerance(std::abs(expected.by_log_c)));
      const double allowed = rounding.tolerance(expected.by_slope.cwiseAbs().maxCoeff());
      EXPECT_LE((found.by_slope - expected.by_slope).cwiseAbs().maxCoeff(), allowed);
      EXPECT_LE((found.by_intercept - expected.by_intercept).cwiseAbs().maxCoeff(), allowed);
      EXPECT_EQ(there(kernel, 3).by_slope, found.by_slope);
      const double thetas[] = {0.5, 3}, cs[] = {1, 10};
      const Matrix values = here.plain_values(thetas, cs), others = there.plain_values(thetas, cs);
      EXPECT_LE((values - others).cwiseAbs().maxCoeff(), rounding.tolerance(values.cwiseAbs().maxCoeff()));
    }
  }
}

TEST_F(CudaLearning, FlatMetricsAgreeWithTheCpu) {
  for (const Metric metric : {Metric::logeuclidean, Metric::powereuclidean, Metric::cholesky})
    for (const Index dim : {3, 12}) {
      const Dataset train = wishart_classes({.classes = 3, .per_class = 25, .dim = dim, .degrees = 3 * dim});
      EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(dim, Adjustment::affine);
      for (Index z = 0; z < dim; ++z) adjustment.alpha[z] = 1 + 0.3 * std::sin(static_cast<double>(z));
      const LearnedKernel kernel(Transform(), adjustment, 0.5 / static_cast<double>(dim), metric);
      for (const Criterion criterion : all_criteria()) {
        SCOPED_TRACE(testing::Message() << name(metric) << ", " << name(criterion) << ", d = " << dim);
        const CriterionFunction here(criterion, train, {}, metric), there(criterion, train, cuda, metric);
        const CriterionFunction::Gradient expected = here(kernel, 3), found = there(kernel, 3);
        const KernelRounding rounding{dim, 1e3, 1, has_soft_margin(criterion) ? 1 + 75 * 3.0 : 1};
        EXPECT_NEAR(found.value, expected.value, rounding.tolerance(std::abs(expected.value)));
        EXPECT_NEAR(found.by_log_c, expected.by_log_c, rounding.tolerance(std::abs(expected.by_log_c)));
        EXPECT_NEAR(found.by_zeta, expected.by_zeta, rounding.tolerance(std::abs(expected.by_zeta)));
        const double allowed = rounding.tolerance(expected.by_slope.cwiseAbs().maxCoeff());
        EXPECT_LE((found.by_slope - expected.by_slope).cwiseAbs().maxCoeff(), allowed);
        EXPECT_LE((found.by_intercept - expected.by_intercept).cwiseAbs().maxCoeff(), allowed);
        EXPECT_EQ(there(kernel, 3).by_slope, found.by_slope);
      }
    }
}

TEST_F(CudaLearning, OfATeamIsThatOfOneProcess) {
  for (const Index dim : {5, 20}) {
    const Dataset train = wishart_classes({.classes = 3, .per_class = 25, .dim = dim, .degrees = 3 * dim});
    const LearnedKernel kernel = LearnedKernel::plain(dim, static_cast<double>(dim));
    const double thetas[] = {0.5, 3}, cs[] = {1, 10};
    for (const Criterion criterion : all_criteria()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", d = " << dim);
      const CriterionFunction alone(criterion, train, cuda);
      const CriterionFunction::Gradient expected = alone(kernel, 3);
      const Matrix plain = alone.plain_values(thetas, cs);
      for (const int ranks : {2, 3})
        as_team(ranks, [&](const Team& team) {
          const CriterionFunction shared(criterion, train, {.threads = 1, .device = Device::cuda, .team = &team});
          const CriterionFunction::Gradient found = shared(kernel, 3);
          EXPECT_NEAR(found.value, expected.value, 1e-13 * std::abs(expected.value));
          EXPECT_NEAR(found.by_log_c, expected.by_log_c, 1e-13 * std::abs(expected.by_log_c));
          const double allowed = 1e-12 * expected.by_slope.cwiseAbs().maxCoeff();
          EXPECT_LE((found.by_slope - expected.by_slope).cwiseAbs().maxCoeff(), allowed);
          EXPECT_LE((found.by_intercept - expected.by_intercept).cwiseAbs().maxCoeff(), allowed);
          EXPECT_LE(((shared.plain_values(thetas, cs) - plain).array() / plain.array()).abs().maxCoeff(), 1e-13);
        });
    }
  }
}

TEST_F(CudaLearning, FindsTheKernelTheCpuFinds) {
  const Dataset train = wishart_classes({.classes = 3, .per_class = 40, .dim = 6, .degrees = 15, .tau = 0.5});
  for (const Criterion criterion : {Criterion::alignment, Criterion::centred, Criterion::neighbour}) {
    const FitOptions options{.criterion = criterion, .adjustment = Adjustment::affine, .penalty = 0.01};
    FitOptions on_device = options;
    on_device.pairs = cuda;
    const LearnResult expected = fit_kernel(train, options), found = fit_kernel(train, on_device);
    EXPECT_NEAR(found.fit.criterion, expected.fit.criterion, 1e-6) << name(criterion);
    EXPECT_NEAR(found.kernel.theta(), expected.kernel.theta(), 1e-6 * expected.kernel.theta());
    EXPECT_EQ(fit_kernel(train, on_device).kernel.adjustment().alpha, found.kernel.adjustment().alpha);
  }
}

}  // namespace
}  // namespace dsk::test
