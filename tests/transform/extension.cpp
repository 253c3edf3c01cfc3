// What CONTRIBUTING.md says about adding a transform, done with a toy: a kind of step, in a row with the library's own.
// tests/learn/extension.cpp searches for one.

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "support/tolerance.hpp"
#include "transform/step.hpp"

namespace dsk::test {
namespace {

/// Z = X + ridge I.
struct Ridge {
  double ridge = 0;
  Index size = 1;

  Index dim() const { return size; }
  Index result_dim() const { return size; }
  bool is_none() const { return ridge == 0; }
};

SpdBatch apply_step(const Ridge& step, const SpdBatch& x, int) {
  std::vector<Matrix> shifted;
  for (const MatrixView one : x) shifted.emplace_back(one + step.ridge * Matrix::Identity(step.size, step.size));
  return SpdBatch(shifted);
}

Eigen::VectorXd step_parameters(const Ridge& step) {
  return Eigen::VectorXd::Constant(1, step.ridge);
}

PulledBack pull_back_step(const Ridge&, const SpdBatch&, const MatrixStack& by_result, int) {
  double sum = 0;
  for (Index i = 0; i < by_result.count; ++i) sum += by_result[i].trace();
  return {Eigen::VectorXd::Constant(1, sum), by_result};
}

using Step = std::variant<EigenvalueAdjustment, Projection, Ridge>;

/// An adjustment of three eigenvalues, a ridge and a projection to two components, by their parameters.
std::vector<Step> steps_with(const Eigen::VectorXd& parameters) {
  auto adjustment = EigenvalueAdjustment::none(3);
  adjustment.alpha = parameters.head(3);
  const Matrix w = Eigen::Map<const Matrix>(parameters.data() + 4, 3, 2);
  return {adjustment, Ridge{parameters[3], 3}, Projection{w}};
}

Eigen::VectorXd some_parameters() {
  Eigen::VectorXd parameters(10);
  parameters << 0.7, 1.2, 0.9, 0.4, 1, 0.2, -0.3, 1, 0.5, 0.1;
  return parameters;
}

SpdBatch applied(const std::vector<Step>& steps, const SpdBatch& x) {
  return detail::apply_steps(std::span<const Step>(steps), x, 1);
}

TEST(Extension, ANewStepIsAppliedAmongTheOthers) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3, .condition = 20, .seed = 2});
  const std::vector<Step> steps = steps_with(some_parameters());
  EXPECT_EQ(detail::parameters_of(std::span<const Step>(steps)), some_parameters());
  const SpdBatch found = applied(steps, x), adjusted = adjust(x, std::get<EigenvalueAdjustment>(steps[0]));
  const Matrix w = std::get<Projection>(steps[2]).w;
  for (Index i = 0; i < x.size(); ++i) {
    const Matrix wanted = w.transpose() * (adjusted[i] + 0.4 * Matrix::Identity(3, 3)) * w;
    EXPECT_LE((found[i] - wanted).cwiseAbs().maxCoeff(), tolerance(3, 20) * wanted.cwiseAbs().maxCoeff());
  }
}

/// Of J = sum_i log det Z_i, with dJ/dZ_i = Z_i^-1.
TEST(Extension, AGradientIsPulledBackThroughANewStep) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3, .condition = 20, .seed = 2});
  const Eigen::VectorXd at = some_parameters();
  const std::vector<Step> steps = steps_with(at);
  MatrixStack by_result{x.size(), 2, {}};
  for (const MatrixView one : applied(steps, x)) {
    const Matrix inverse = Matrix(one).inverse();
    by_result.values.insert(by_result.values.end(), inverse.data(), inverse.data() + inverse.size());
  }
  const Eigen::VectorXd found = detail::pull_back_steps(std::span<const Step>(steps), x, by_result, 1);
  constexpr double step = 1e-3;
  for (Index k = 0; k < at.size(); ++k) {
    const auto value = [&](double change) {
      Eigen::VectorXd moved = at;
      moved[k] += change;
      double sum = 0;
      for (const MatrixView one : applied(steps_with(moved), x)) sum += std::log(Matrix(one).determinant());
      return sum;
    };
    const double slope = (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step);
    EXPECT_NEAR(found[k], slope, tolerance(3, 1 / step) * std::max(1.0, std::abs(slope))) << k;
  }
}

}  // namespace
}  // namespace dsk::test
