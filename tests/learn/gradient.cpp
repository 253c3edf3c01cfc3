#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include <array>

#include "support/learn_cases.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

struct Case {
  Dataset data;
  EigenvalueAdjustment adjustment;
  double c = 3;
};

/// Everything a comparison needs of a case; theta makes a typical kernel value 1/e.
struct Prepared {
  explicit Prepared(const Case& wanted)
      : set(wanted.data),
        adjustment(OracleAdjustment::of(wanted.adjustment)),
        divergences(oracle_divergences(set.spectra, adjustment)),
        theta(1 / median(divergences)),
        kernel(oracle_kernel(divergences, theta)),
        learned(wanted.adjustment, theta),
        rounding{wanted.data.dim(), condition(set.spectra, adjustment), theta, 1} {}

  KernelRounding rounding_of(Criterion criterion, const Case& wanted) const {
    KernelRounding result = rounding;
    if (has_soft_margin(criterion)) result.dual_condition = 1 + static_cast<double>(wanted.data.size()) * wanted.c;
    return result;
  }

  OracleSet set;
  OracleAdjustment adjustment;
  OracleMatrix divergences;
  double theta;
  OracleMatrix kernel;
  LearnedKernel learned;
  KernelRounding rounding;
};

double sum_of_magnitudes(const OracleMatrix& weights, const OracleMatrix& kernel) {
  Real sum = 0;
  for (long i = 0; i < kernel.dim(); ++i)
    for (long j = 0; j < kernel.dim(); ++j) sum += std::abs(weights(i, j) * kernel(i, j));
  return static_cast<double>(sum);
}

double largest_derivative(const Prepared& prepared) {
  Real largest = 1;
  for (const OracleSpectrum& x : prepared.set.spectra)
    for (std::size_t z = 0; z < x.logs.size(); ++z)
      largest = std::max(largest, std::abs(by_slope(x, prepared.adjustment, z)));
  return static_cast<double>(largest);
}

/// dJ/dp = sum_ij W_ij dK_ij/dp = -theta sum_ij W_ij K_ij dS_ij/dp.
double chained(const Prepared& prepared, const OracleMatrix& weights, const OracleMatrix& by_parameter) {
  Real sum = 0;
  for (long i = 0; i < weights.dim(); ++i)
    for (long j = 0; j < weights.dim(); ++j)
      sum -= prepared.theta * weights(i, j) * prepared.kernel(i, j) * by_parameter(i, j);
  return static_cast<double>(sum);
}

/// Entry p of the slopes' derivatives followed by the intercepts'.
double entry(const CriterionFunction::Gradient& gradient, std::size_t p) {
  const auto dim = static_cast<std::size_t>(gradient.by_slope.size());
  return p < dim ? gradient.by_slope[static_cast<Index>(p)] : gradient.by_intercept[static_cast<Index>(p - dim)];
}

void expect_trace_formula(const Case& wanted) {
  const Prepared prepared(wanted);
  const std::vector<OracleMatrix> derivatives = divergence_derivatives(prepared.set.spectra, prepared.adjustment);
  for (const Criterion criterion : all_criteria()) {
    SCOPED_TRACE(name(criterion));
    const OracleCriterion expected = prepared.set.criteria(criterion, prepared.kernel, wanted.c);
    const double magnitude = sum_of_magnitudes(expected.weights, prepared.kernel);
    const KernelRounding rounding = prepared.rounding_of(criterion, wanted);
    const double allowed = rounding.tolerance(prepared.theta * magnitude * largest_derivative(prepared));
    on_every_target([&] {
      const CriterionFunction::Gradient found = CriterionFunction(criterion, wanted.data)(prepared.learned, wanted.c);
      EXPECT_NEAR(found.value, static_cast<double>(expected.value), rounding.tolerance(magnitude));
      EXPECT_NEAR(found.by_log_c, static_cast<double>(expected.by_log_c), rounding.tolerance(magnitude));
      for (std::size_t p = 0; p < derivatives.size(); ++p)
        EXPECT_NEAR(entry(found, p), chained(prepared, expected.weights, derivatives[p]), allowed) << "parameter " << p;
    });
  }
}

/// f'(0) from four values, with an error of step^4.
template <class Function>
double central_difference(const Function& function, Real step) {
  return static_cast<double>((8 * (function(step) - function(-step)) - (function(2 * step) - function(-2 * step))) /
                             (12 * step));
}

void expect_central_differences(const Case& wanted) {
  const Prepared prepared(wanted);
  const auto dim = static_cast<std::size_t>(wanted.data.dim());
  constexpr Real step = 1e-4L;
  std::vector<std::size_t> positions{0, dim / 2, dim - 1};
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());

  std::vector<CriterionFunction::Gradient> found;
  std::vector<double> allowed;
  for (const Criterion criterion : all_criteria()) {
    found.push_back(CriterionFunction(criterion, wanted.data)(prepared.learned, wanted.c));
    const OracleCriterion expected = prepared.set.criteria(criterion, prepared.kernel, wanted.c);
    const double magnitude = sum_of_magnitudes(expected.weights, prepared.kernel);
    allowed.push_back(
        prepared.rounding_of(criterion, wanted).tolerance(prepared.theta * magnitude * largest_derivative(prepared)));
    const auto moved_c = [&](Real by) {
      return prepared.set.criteria(criterion, prepared.kernel, wanted.c * std::exp(by)).value;
    };
    EXPECT_NEAR(found.back().by_log_c, central_difference(moved_c, step), allowed.back()) << name(criterion);
  }
  for (const std::size_t position : positions)
    for (const std::size_t p : {position, dim + position}) {
      const auto moved_kernel = [&](Real by) {
        OracleAdjustment moved = prepared.adjustment;
        (p < dim ? moved.slope : moved.intercept)[position] += by;
        return prepared.set.kernel(moved, prepared.theta);
      };
      const std::array<OracleMatrix, 4> kernels{moved_kernel(-2 * step), moved_kernel(-step), moved_kernel(step),
                                                moved_kernel(2 * step)};
      for (std::size_t k = 0; k < all_criteria().size(); ++k) {
        const auto value = [&](Real by) {
          const std::size_t at = by < 0 ? (by < -step ? 0 : 1) : (by > step ? 3 : 2);
          return prepared.set.criteria(all_criteria()[k], kernels[at], wanted.c).value;
        };
        EXPECT_NEAR(entry(found[k], p), central_difference(value, step), allowed[k])
            << name(all_criteria()[k]) << ", parameter " << p;
      }
    }
}

/// Calls check with every size, class structure and adjustment, with units of their own for some.
template <class Check>
void for_each_case(const std::vector<Index>& dims, const Check& check) {
  for (const Index dim : dims)
    for (const std::vector<Index>& sizes : {std::vector<Index>{9, 4}, {6, 1}, {5, 4, 3, 2, 1}})
      for (const Adjustment kind : all_adjustments()) {
        const double scale = sizes.size() == 2 ? 1 : 0.3;
        SCOPED_TRACE(testing::Message() << "d = " << dim << ", " << sizes.size() << " classes, " << sizes.back()
                                        << " in the last, " << name(kind) << ", scale " << scale);
        check({made_classes({.sizes = sizes, .dim = dim, .seed = 3}), uneven_adjustment(dim, kind, scale)});
      }
}

TEST(CriterionGradient, MeetsTheTraceFormula) {
  for_each_case({1, 2, 5}, expect_trace_formula);
}
TEST(CriterionGradient, MeetsTheTraceFormulaForLargeMatrices) {
  for_each_case({16, 43}, expect_trace_formula);
}
TEST(CriterionGradient, MeetsCentralDifferences) {
  for_each_case({1, 2, 5}, expect_central_differences);
}
TEST(CriterionGradient, MeetsCentralDifferencesForLargeMatrices) {
  for_each_case({16, 43}, expect_central_differences);
}

TEST(CriterionGradient, MeetsTheTraceFormulaForMoreMatricesThanATile) {
  for (const Index dim : {4, 11}) {
    SCOPED_TRACE(dim);
    expect_trace_formula(
        {made_classes({.sizes = {40, 25, 12}, .dim = dim}), uneven_adjustment(dim, Adjustment::affine), 1});
  }
}

TEST(CriterionGradient, MeetsTheTraceFormulaForHardAndSoftMargins) {
  for (const double c : {0.01, 100.0}) {
    SCOPED_TRACE(c);
    expect_trace_formula({made_classes({.sizes = {12, 8, 5}, .dim = 4}), uneven_adjustment(4, Adjustment::power), c});
  }
}

TEST(CriterionGradient, OfThePlainKernelIsThatOfNoAdjustment) {
  const Dataset data = made_classes({.dim = 5});
  for (const Criterion criterion : all_criteria()) {
    const CriterionFunction function(criterion, data);
    const double theta = 1.5, c = 2;
    const CriterionFunction::Gradient plain = function(LearnedKernel::plain(5, theta), c);
    const Matrix values = function.plain_values({&theta, 1}, {&c, 1});
    const KernelRounding rounding{5, 100, theta, 1 + static_cast<double>(data.size()) * c};
    EXPECT_NEAR(plain.value, values(0, 0), rounding.tolerance(plain.value)) << name(criterion);
  }
}

}  // namespace
}  // namespace dsk::test
