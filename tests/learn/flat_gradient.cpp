#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include <random>

#include "learn/minimise.hpp"
#include "support/learn_cases.hpp"
#include "support/made_team.hpp"
#include "support/oracle_flat.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr Metric flat_metrics[] = {Metric::logeuclidean, Metric::powereuclidean, Metric::cholesky};

/// f'(0) from four values, with an error of step^4.
template <class Function>
double slope_at_zero(const Function& function) {
  constexpr Real step = 1e-4L;
  return static_cast<double>((8 * (function(step) - function(-step)) - (function(2 * step) - function(-2 * step))) /
                             (12 * step));
}

/// A kernel by a metric on a training set, in long double; theta makes a typical kernel value 1/e.
struct FlatCase {
  FlatCase(Metric by, const Dataset& given, const EigenvalueAdjustment& adjusting, Real exponent)
      : metric(by),
        zeta(exponent),
        data(given),
        set(given),
        adjustment(OracleAdjustment::of(adjusting)),
        theta(1 / median(flat_distances(by, exponent, set.spectra, adjustment))),
        kernel(Transform(), adjusting, theta, by, static_cast<double>(exponent)) {}

  Real value(Criterion criterion, const OracleAdjustment& moved, Real exponent) const {
    const OracleMatrix values = oracle_kernel(flat_distances(metric, exponent, set.spectra, moved), theta);
    return set.criteria(criterion, values, c).value;
  }

  /// Squared distances are off by rounding of the squared norms of the rows.
  double allowed(Criterion criterion, double magnitude) const {
    const double distances = theta * largest_squared_norm(metric, zeta, set.spectra, adjustment);
    const KernelRounding rounding{data.dim(), condition(set.spectra, adjustment), distances,
                                  has_soft_margin(criterion) ? 1 + static_cast<double>(data.size()) * c : 1};
    return rounding.tolerance(magnitude);
  }

  Metric metric;
  Real zeta;
  Dataset data;
  OracleSet set;
  OracleAdjustment adjustment;
  double theta;
  LearnedKernel kernel;
  double c = 3;
};

void expect_flat_gradient(const FlatCase& flat, Criterion criterion) {
  const CriterionFunction::Gradient found =
      CriterionFunction(criterion, flat.data, {}, flat.metric)(flat.kernel, flat.c);
  const auto dim = static_cast<std::size_t>(flat.data.dim());
  const double largest =
      std::max({1.0, found.by_slope.cwiseAbs().maxCoeff(), found.by_intercept.cwiseAbs().maxCoeff()});
  const double allowed = flat.allowed(criterion, largest);
  EXPECT_NEAR(found.value, static_cast<double>(flat.value(criterion, flat.adjustment, flat.zeta)), allowed);
  for (const std::size_t z : {std::size_t{0}, dim / 2, dim - 1}) {
    const auto moved = [&](RealVector OracleAdjustment::*part) {
      return slope_at_zero([&](Real by) {
        OracleAdjustment changed = flat.adjustment;
        (changed.*part)[z] += by;
        return flat.value(criterion, changed, flat.zeta);
      });
    };
    EXPECT_NEAR(found.by_slope[static_cast<Index>(z)], moved(&OracleAdjustment::slope), allowed) << "slope " << z;
    EXPECT_NEAR(found.by_intercept[static_cast<Index>(z)], moved(&OracleAdjustment::intercept), allowed)
        << "intercept " << z;
  }
  const double by_zeta = slope_at_zero([&](Real by) { return flat.value(criterion, flat.adjustment, flat.zeta + by); });
  EXPECT_NEAR(found.by_zeta, by_zeta, flat.allowed(criterion, std::max(largest, std::abs(by_zeta))));
  EXPECT_EQ(found.by_zeta == 0, flat.metric != Metric::powereuclidean);
}

TEST(FlatGradient, MeetsCentralDifferencesForEveryCriterionAndAdjustment) {
  for (const Metric metric : flat_metrics)
    for (const Index dim : {1, 2, 5})
      for (const Adjustment kind : all_adjustments()) {
        const Dataset data = made_classes({.sizes = {6, 4, 3}, .dim = dim, .seed = 3});
        const FlatCase flat(metric, data, uneven_adjustment(dim, kind, kind == Adjustment::affine ? 0.3 : 1), 0.7L);
        for (const Criterion criterion : all_criteria()) {
          SCOPED_TRACE(testing::Message()
                       << name(metric) << ", d = " << dim << ", " << name(kind) << ", " << name(criterion));
          expect_flat_gradient(flat, criterion);
        }
      }
}

TEST(FlatGradient, MeetsCentralDifferencesForLargerMatricesOnEveryTarget) {
  for (const Metric metric : flat_metrics) {
    const Dataset data = made_classes({.sizes = {5, 4, 2}, .dim = 17, .seed = 5});
    const FlatCase flat(metric, data, uneven_adjustment(17, Adjustment::affine), 0.4L);
    on_every_target([&] {
      SCOPED_TRACE(name(metric));
      expect_flat_gradient(flat, Criterion::centred);
    });
  }
}

/// J of the kernel of W'XW.
Real projected_criterion(Criterion criterion, Metric metric, const Dataset& data, const std::vector<Real>& w,
                         long columns, Real theta) {
  std::vector<OracleMatrix> points;
  for (Index i = 0; i < data.size(); ++i)
    points.push_back(flat_oracle(metric, 0.5L, filled(columns, [&](long a, long b) {
                                   Real sum = 0;
                                   for (long r = 0; r < data.dim(); ++r)
                                     for (long c = 0; c < data.dim(); ++c)
                                       sum += w[static_cast<std::size_t>(r * columns + a)] *
                                              static_cast<Real>(data.matrices()[i](r, c)) *
                                              w[static_cast<std::size_t>(c * columns + b)];
                                   return sum;
                                 })));
  return OracleCriteria(data.labels().codes())(criterion, oracle_kernel(squared_distances(points), theta), 1).value;
}

void expect_projection_gradient(Criterion criterion, Metric metric, const Dataset& data, const Matrix& w) {
  const double theta = 0.4;
  detail::ProjectionSearch search(data.matrices(), w, 1, {.metric = metric});
  detail::Composition composition(detail::row_of(criterion), data, search, {.threads = 1});
  const detail::Descent descent(composition, search, {.theta = theta, .value = 1, .free_theta = true}, 0);
  Eigen::VectorXd gradient;
  const double value = descent(descent.start(), gradient);
  const std::vector<Real> at(w.data(), w.data() + w.size());
  const KernelRounding rounding{w.cols(), 1e3, theta};
  const double allowed = rounding.tolerance(std::max(1.0, gradient.cwiseAbs().maxCoeff()));
  EXPECT_NEAR(value, static_cast<double>(-projected_criterion(criterion, metric, data, at, w.cols(), theta)), allowed);
  for (Index k = 0; k < w.size(); ++k) {
    const double wanted = slope_at_zero([&](Real by) {
      std::vector<Real> moved = at;
      moved[static_cast<std::size_t>(k)] += by;
      return -projected_criterion(criterion, metric, data, moved, w.cols(), theta);
    });
    EXPECT_NEAR(gradient[k], wanted, allowed) << name(metric) << ", " << name(criterion) << ", entry " << k;
  }
  const double by_log_theta = slope_at_zero(
      [&](Real by) { return -projected_criterion(criterion, metric, data, at, w.cols(), theta * std::exp(by)); });
  EXPECT_NEAR(gradient[w.size()], by_log_theta, allowed);
}

Matrix random_directions(Index rows, Index columns) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(random); });
}

TEST(FlatGradient, ThroughAProjectionMeetsCentralDifferences) {
  const Dataset data = made_classes({.sizes = {5, 4, 3}, .dim = 5, .seed = 3});
  for (const Metric metric : flat_metrics)
    for (const Criterion criterion :
         {Criterion::alignment, Criterion::separability, Criterion::centred, Criterion::neighbour})
      for (const Index columns : {1, 3, 5})
        expect_projection_gradient(criterion, metric, data, random_directions(5, columns));
}

/// Divided differences of equal eigenvalues are derivatives.
TEST(FlatGradient, ThroughAProjectionIsExactAtEqualEigenvalues) {
  MatrixStack stack{8, 4, {}};
  std::vector<long long> labels;
  for (Index i = 0; i < stack.count; ++i) {
    labels.push_back(i % 2);
    for (Index r = 0; r < 4; ++r)
      for (Index c = 0; c < 4; ++c)
        stack.values.push_back(r != c ? 0 : r < 3 ? 1 + 0.25 * static_cast<double>(i) : 0.5);
  }
  const Dataset data(SpdBatch(std::move(stack)), Labels(labels));
  Matrix w = Matrix::Identity(4, 3);
  for (const Metric metric : flat_metrics)
    for (const Criterion criterion : {Criterion::alignment, Criterion::centred, Criterion::neighbour})
      expect_projection_gradient(criterion, metric, data, w);
  // Nearly equal ones: no digits may be lost in the difference of two values.
  w(0, 0) += 1e-9;
  for (const Metric metric : flat_metrics) expect_projection_gradient(Criterion::centred, metric, data, w);
}

TEST(FlatGradient, OfRanksAddsUpToThatOfOneProcess) {
  const Dataset data = made_classes({.sizes = {70, 50, 30}, .dim = 3, .seed = 4});
  for (const Metric metric : flat_metrics)
    for (const Criterion criterion : all_criteria()) {
      const LearnedKernel kernel(Transform(), uneven_adjustment(3, Adjustment::affine), 0.3, metric, 0.6);
      const CriterionFunction::Gradient whole = CriterionFunction(criterion, data, {}, metric)(kernel, 3);
      as_team(3, [&](const Team& team) {
        const CriterionFunction::Gradient found =
            CriterionFunction(criterion, data, {.threads = 1, .team = &team}, metric)(kernel, 3);
        const double size = std::max(1.0, whole.by_slope.cwiseAbs().maxCoeff());
        EXPECT_NEAR(found.value, whole.value, 1e-12 * std::max(1.0, std::abs(whole.value)));
        EXPECT_LE((found.by_slope - whole.by_slope).cwiseAbs().maxCoeff(), 1e-12 * size) << name(criterion);
        EXPECT_NEAR(found.by_zeta, whole.by_zeta, 1e-12 * std::max(size, std::abs(whole.by_zeta)));
      });
    }
}

}  // namespace
}  // namespace dsk::test
