#include "spd/large_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "machine/lapack.hpp"

namespace dsk::detail {
namespace {

/// Bounds of the eigenvalues; upper is infinite where T is diagonal or not positive definite.
struct SpectrumBounds {
  double lower = 1;
  double upper = std::numeric_limits<double>::infinity();
};

SpectrumBounds bounds_of(const TridiagonalView& t) {
  const Index dim = t.dim;
  std::vector<double> ratios(static_cast<std::size_t>(dim)), inverses(ratios.size());
  double inverse = 0, highest = 0;
  bool diagonal_only = true;
  for (Index i = dim - 1; i >= 0; --i) {
    const double link = i + 1 < dim ? t.off[i] : 0, ratio = -link * inverse, pivot = t.diagonal[i] + link * ratio;
    if (!(pivot > 0)) return {};
    diagonal_only &= link == 0;
    inverse = 1 / pivot;
    ratios[static_cast<std::size_t>(i)] = ratio;
    inverses[static_cast<std::size_t>(i)] = inverse;
    highest = std::max(highest, t.diagonal[i] + std::abs(link) + (i > 0 ? std::abs(t.off[i - 1]) : 0));
  }
  if (diagonal_only) return {};
  // The norm of the inverse, whose entries follow from the ratios of neighbours.
  double entry = inverse, left = 0, squares = inverse * inverse;
  for (std::size_t i = 1; i < ratios.size(); ++i) {
    const double square = ratios[i - 1] * ratios[i - 1];
    left = square * (entry * entry + left);
    entry = square * entry + inverses[i];
    squares += entry * entry + 2 * left;
  }
  return {1 / std::sqrt(squares), highest};
}

}  // namespace

bool large_function(SpectralFunction function, const double* matrix, Index dim, const Matrix* congruence,
                    double* result, double& condition) {
  const auto size = static_cast<std::size_t>(dim * dim), length = static_cast<std::size_t>(dim);
  std::vector<double> x(matrix, matrix + size);
  if (congruence != nullptr) {
    lapack::multiply(congruence->data(), matrix, false, result, dim);
    lapack::multiply(result, congruence->data(), true, x.data(), dim);
    lapack::mirror(x.data(), dim);
  }
  // Near 1 by a power of four, so that neither products nor the shifts leave the range of double.
  const double largest = MatrixView(x.data(), dim, dim).diagonal().maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) return false;
  const int exponent = std::clamp(std::ilogb(largest), -1000, 1000) / 2 * 2;
  const double unit = std::ldexp(1.0, -exponent);
  for (double& value : x) value *= unit;

  std::vector<double> diagonal(length), off(length), factors(length);
  lapack::tridiagonalise(x.data(), dim, {diagonal.data(), off.data(), factors.data()});
  const TridiagonalView t{dim, diagonal.data(), off.data()};
  const SpectrumBounds bounds = bounds_of(t);
  if (!(bounds.upper <= largest_rule_condition * bounds.lower)) return false;
  condition = bounds.upper / bounds.lower;

  const bool log = function == SpectralFunction::logarithm;
  const double centre = std::sqrt(bounds.lower * bounds.upper);
  const double scale = log ? 1 : function == SpectralFunction::root ? std::sqrt(centre) : 1 / std::sqrt(centre);
  ShiftedInverseRule rule = shifted_inverse_rule(function, condition);
  for (double& shift : rule.shifts) shift *= centre;
  for (double& weight : rule.weights) weight *= scale * centre;
  const double constant = scale * rule.constant + (log ? std::log(centre) : 0);
  std::fill(result, result + size, 0.0);
  add_shifted_inverses(t, rule, result);
  Eigen::Map<Matrix> f(result, dim, dim);
  f.diagonal().array() += constant;
  lapack::mirror(result, dim);
  lapack::transform_back(x.data(), factors.data(), result, dim);

  if (log)
    f.diagonal().array() += exponent * std::numbers::ln2;
  else
    f *= std::ldexp(1.0, function == SpectralFunction::root ? exponent / 2 : -exponent / 2);
  return true;
}

}  // namespace dsk::detail
