// What CONTRIBUTING.md says about adding a criterion and a transform, done with toys: one piece of code and one row.

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>
#include <functional>
#include <limits>

#include "engine/engine.hpp"
#include "learn/minimise.hpp"
#include "learn/objective.hpp"
#include "support/made_classes.hpp"
#include "support/tolerance.hpp"
#include "transform/transform.hpp"

namespace dsk::test {
namespace {

/// A toy criterion: the mean kernel value of pairs of one class less that of pairs of two classes.
detail::SumValue evaluate_contrast(const Matrix& sums, const detail::Classes& classes) {
  double same = 0;
  for (int c = 0; c < classes.count(); ++c) same += static_cast<double>(classes.size(c) * (classes.size(c) - 1));
  const auto n = static_cast<double>(classes.samples());
  const double other = n * (n - 1) - same;
  return {sums.row(0).sum() / same - sums.row(1).sum() / other, {{1 / same, -1 / other}}};
}

std::unique_ptr<detail::Objective> contrast(const detail::Classes& classes, const PairOptions&) {
  const std::vector<double> ones(static_cast<std::size_t>(classes.count()), 1), zeros(ones.size(), 0);
  return detail::make_sum_objective({{{.same = ones}, {.same = zeros, .other = 1}}, evaluate_contrast}, classes);
}

constexpr detail::CriterionRow contrast_row{
    Criterion::alignment, "contrast", "ct", "CT", "mean kernel values compared", true, false, contrast, nullptr};

/// A toy transform: X~ = X + exp(p) I.
class Ridge : public detail::TransformSearch {
 public:
  explicit Ridge(const SpdBatch& x) : x_(x), shifted_(x) {}
  PairSums sweep(const PairOptions& options) const override { return PairSums(x_, options); }
  Eigen::VectorXd start() const override { return Eigen::VectorXd::Constant(1, -2); }
  void apply(const Eigen::VectorXd& parameters, PairSums& sweep) override {
    ridge_ = std::exp(parameters[0]);
    std::vector<double> values(x_.values().begin(), x_.values().end());
    for (Index i = 0; i < x_.size(); ++i)
      for (Index k = 0; k < x_.dim(); ++k)
        values[static_cast<std::size_t>((i * x_.dim() + k) * x_.dim() + k)] += ridge_;
    shifted_ = SpdBatch(values, x_.size(), x_.dim());
    sweep.replace(shifted_);
  }
  Eigen::VectorXd pull_back(const WeightedInverses& found, double theta) const override {
    double sum = 0;  // of tr dJ/dZ_i, dJ/dZ_i = -theta (A_i - r_i Z_i^-1)
    for (Index i = 0; i < x_.size(); ++i)
      sum -= theta * (found.sums[i].trace() - found.weight_sums[i] * Matrix(Matrix(shifted_[i]).inverse()).trace());
    return Eigen::VectorXd::Constant(1, ridge_ * sum);
  }
  double penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const override {
    gradient[0] += 2 * factor * (parameters[0] + 2);
    return (parameters[0] + 2) * (parameters[0] + 2);
  }
  Transform at(const Eigen::VectorXd&) const override { return {}; }

 private:
  SpdBatch x_;
  SpdBatch shifted_;
  double ridge_ = 0;
};

/// Both work with everything else: the gradient through sweep, criterion and transform is that of central differences.
TEST(Extension, ANewCriterionAndANewTransformComposeWithTheRest) {
  const Dataset data = made_classes({.sizes = {8, 6, 5}, .dim = 4, .seed = 3});
  const double theta = 1.3;
  Ridge ridge(data.matrices());
  detail::Composition composition(contrast_row, data, ridge, {.threads = 1});
  const auto value = [&](double p) {
    ridge.apply(Eigen::VectorXd::Constant(1, p), composition.pairs());
    return composition.gradient(theta, 0).value;
  };
  constexpr double step = 1e-3;
  for (const double p : {-3.0, -1.0, 0.5}) {
    const double slope =
        (8 * (value(p + step) - value(p - step)) - (value(p + 2 * step) - value(p - 2 * step))) / (12 * step);
    ridge.apply(Eigen::VectorXd::Constant(1, p), composition.pairs());
    const Eigen::VectorXd found = ridge.pull_back(composition.gradient(theta, 0).inverses, theta);
    EXPECT_NEAR(found[0], slope, tolerance(4, 1 / step));
    EXPECT_GT(std::abs(slope), 1e-6);
  }
}

/// Beyond a distance from the start it does something else first.
class LimitedRidge : public Ridge {
 public:
  LimitedRidge(const SpdBatch& x, double limit, std::function<void()> beyond)
      : Ridge(x), limit_(limit), beyond_(std::move(beyond)) {}
  void apply(const Eigen::VectorXd& parameters, PairSums& sweep) override {
    if (std::abs(parameters[0] - start()[0]) > limit_) beyond_();
    Ridge::apply(parameters, sweep);
  }

 private:
  double limit_;
  std::function<void()> beyond_;
};

/// A step that leaves the range of double is too long. An option that is wrong, or a device that fails, is not.
TEST(Extension, ASearchStepsBackFromNumericalFailuresOnly) {
  const Dataset data = made_classes({.sizes = {8, 6, 5}, .dim = 4, .seed = 3});
  const auto search = [&](double limit, const std::function<void()>& beyond) {
    LimitedRidge ridge(data.matrices(), limit, beyond);
    detail::Composition composition(contrast_row, data, ridge, {.threads = 1});
    ridge.apply(ridge.start(), composition.pairs());
    const detail::DescentStart start{.theta = 1.3, .value = composition.gradient(1.3, 0).value};
    const auto [point, fit] = detail::descend(detail::Descent(composition, ridge, start, 1e-3), 100, 1e-9, {});
    EXPECT_GT(fit.history.back(), fit.history.front());
    return std::abs(point[0] - ridge.start()[0]);
  };
  const double free = search(std::numeric_limits<double>::infinity(), [] {}), limit = free / 2;
  ASSERT_GT(free, 0.1) << "no data for this test";
  int failures = 0;
  const double found = search(limit, [&] {
    ++failures;
    throw NumericalFailure("out of range");
  });
  EXPECT_LE(found, limit);
  EXPECT_GT(found, limit / 2);
  EXPECT_GT(failures, 0);
  EXPECT_THROW(search(limit, [] { throw InvalidInput("a wrong option"); }), InvalidInput);
  EXPECT_THROW(search(limit, [] { throw DeviceError("a broken device"); }), DeviceError);
}

}  // namespace
}  // namespace dsk::test
