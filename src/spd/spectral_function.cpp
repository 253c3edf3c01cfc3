#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "machine/lapack.hpp"
#include "machine/parallel.hpp"
#include "spd/shifted_inverses.hpp"
#include "spd/spd.hpp"

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

namespace {

bool in_lanes(Index dim) {
  return dim >= smallest_function_in_lanes && dim <= largest_in_lanes;
}

bool is_by_lapack(Index dim) {
  return dim > largest_in_lanes && lapack::takes(lapack::crossover().function, dim);
}

double value_of(SpectralFunction function, double eigenvalue) {
  switch (function) {
    case SpectralFunction::logarithm:
      return std::log(eigenvalue);
    case SpectralFunction::root:
      return std::sqrt(eigenvalue);
    case SpectralFunction::inverse_root:
      return 1 / std::sqrt(eigenvalue);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

GroupFunction::GroupFunction(SpectralFunction function, Index dim, const Matrix* congruence)
    : function_(function), dim_(dim), congruence_(congruence), scratch_(in_lanes(dim) ? function_scratch(dim) : 1) {}

void GroupFunction::operator()(const double* matrices, Index count, double* results, double* conditions) {
  unsigned refused = ~0U;
  if (in_lanes(dim_))
    refused = function_group(function_, matrices, count, dim_, congruence_ ? congruence_->data() : nullptr,
                             scratch_.data(), results, conditions);
  for (Index i = 0; i < count; ++i) {
    if ((refused >> i & 1U) == 0) continue;
    const double* const matrix = matrices + i * dim_ * dim_;
    double* const result = results + i * dim_ * dim_;
    if (!is_by_lapack(dim_) || !large_function(function_, matrix, dim_, congruence_, result, conditions[i]))
      by_eigenvectors(matrix, result, conditions[i]);
  }
}

void GroupFunction::by_eigenvectors(const double* matrix, double* result, double& condition) const {
  MatrixStack stack{1, dim_, {matrix, matrix + dim_ * dim_}};
  if (congruence_) {
    Eigen::Map<Matrix> x(stack.values.data(), dim_, dim_);
    x = *congruence_ * x * congruence_->transpose();
    x = (x + x.transpose()).eval() / 2;
  }
  EigenBatch eigen = eigen_decompose(trust(std::move(stack)), 1);
  condition = eigen.values(0, 0) / eigen.values(0, dim_ - 1);
  for (double& value : eigen.values.reshaped()) value = value_of(function_, value);
  const MatrixStack mapped = recompose(eigen.values, eigen.vectors, 1);
  std::copy(mapped.values.begin(), mapped.values.end(), result);
}

LogarithmSum::LogarithmSum(const Matrix& lower)
    : lower_(lower),
      one_by_one_(SpectralFunction::logarithm, dim(), &lower),
      scratch_(in_lanes(dim()) ? function_scratch(dim()) : 1),
      in_lanes_(in_lanes(dim()) ? dim() * (dim() + 1) / 2 * eigen_group : 1),
      others_(Matrix::Zero(dim(), dim())) {
  std::fill_n(in_lanes_.data(), in_lanes_.size(), 0.0);
}

void LogarithmSum::add(const double* matrices, Index count, const double* weights, LogarithmFacts* facts) {
  unsigned refused = ~0U;
  if (in_lanes(dim()))
    refused = add_logarithms(matrices, count, dim(), lower_.data(), weights, scratch_.data(), in_lanes_.data(), facts);
  Matrix log(dim(), dim());
  for (Index k = 0; k < count; ++k) {
    if ((refused >> k & 1U) == 0) continue;
    one_by_one_(matrices + k * dim() * dim(), 1, log.data(), &facts[k].condition);
    others_ += weights[k] * log;
    facts[k].trace = log.trace();
    facts[k].squared_norm = log.squaredNorm();
  }
}

Matrix LogarithmSum::total() const {
  Matrix sum = Matrix::Zero(dim(), dim());
  if (in_lanes(dim())) add_lanes(dim(), in_lanes_.data(), sum.data());
  sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
  return sum + others_;
}

namespace {

/// All matrices, side by side in lanes.
MatrixStack by_eigenvectors(SpectralFunction function, const SpdBatch& batch, int threads) {
  EigenBatch eigen = eigen_decompose(batch, threads);
  for (double& value : eigen.values.reshaped()) value = value_of(function, value);
  return recompose(eigen.values, eigen.vectors, threads);
}

}  // namespace

MatrixStack spectral_function(SpectralFunction function, const SpdBatch& batch, int threads) {
  // Matrices that do not go in lanes go one at a time, each to the next thread that is free.
  if (batch.dim() < smallest_function_in_lanes) return by_eigenvectors(function, batch, threads);
  const Index dim = batch.dim(), group = in_lanes(dim) ? eigen_group : 1, groups = (batch.size() + group - 1) / group;
  MatrixStack result{batch.size(), dim, std::vector<double>(batch.values().size())};
  const double cost = static_cast<double>(group) * cubic_cost(dim, in_lanes(dim)       ? 0.2
                                                                   : is_by_lapack(dim) ? 0.15
                                                                                       : 1.2);
  for_ranges(groups, threads, cost, [&](Index first, Index last) {
    GroupFunction apply(function, dim);
    double conditions[eigen_group];
    for (Index i = first * group; i < std::min(last * group, batch.size()); i += group)
      apply(batch[i].data(), std::min(group, batch.size() - i), result.values.data() + i * dim * dim, conditions);
  });
  return result;
}

}  // namespace dsk::detail
