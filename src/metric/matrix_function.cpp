#include <dsk/mean.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "machine/aligned.hpp"
#include "machine/messages.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

using Kind = MatrixFunction::Kind;

using MatrixFunctionRow = detail::NameRow<Kind>;

constexpr MatrixFunctionRow matrix_function_table[] = {
    {Kind::exponential, "exponential", "exp"},
    {Kind::inverse_root, "inverse_root", "invsqrt"},
    {Kind::logarithm, "logarithm", "log"},
    {Kind::power, "power", "pow"},
    {Kind::root, "root", "sqrt"},
};

double function_of(double value, const MatrixFunction& function) {
  switch (function.kind) {
    case Kind::exponential:
      return std::exp(value);
    case Kind::inverse_root:
      return 1 / std::sqrt(value);
    case Kind::logarithm:
      return std::log(value);
    case Kind::power:
      return std::pow(value, function.exponent);
    case Kind::root:
      return std::sqrt(value);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// The functions that need no eigenvectors.
std::optional<detail::SpectralFunction> spectral(const MatrixFunction& function) {
  switch (function.kind) {
    case Kind::inverse_root:
      return detail::SpectralFunction::inverse_root;
    case Kind::logarithm:
      return detail::SpectralFunction::logarithm;
    case Kind::root:
      return detail::SpectralFunction::root;
    case Kind::power:
      if (function.exponent == 0.5) return detail::SpectralFunction::root;
      if (function.exponent == -0.5) return detail::SpectralFunction::inverse_root;
      return std::nullopt;
    case Kind::exponential:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Replaces up to eigen_group matrices of the stack at a time by their functions.
class FunctionOfGroup {
 public:
  FunctionOfGroup(MatrixStack& stack, const MatrixFunction& function)
      : stack_(stack),
        function_(function),
        dim_(stack.dim),
        scratch_(std::max(detail::eigen_scratch(dim_), detail::function_scratch(dim_))),
        shifts_(detail::eigen_group),
        values_(detail::eigen_group, dim_),
        vectors_(static_cast<std::size_t>(detail::eigen_group * dim_ * dim_)) {}

  void operator()(Index first, Index last) {
    for (Index i = first; i < last; ++i)
      if (!detail::symmetrise({matrix(i), dim_, dim_}, symmetry_tolerance))
        throw InvalidInput(fmt::format("matrix {} is not symmetric or contains NaN or Inf", i));
    const auto function = spectral(function_);
    if (!function || dim_ > detail::largest_in_lanes) return by_eigenvectors(first, last);
    double conditions[detail::eigen_group];
    const unsigned refused = detail::function_group(*function, matrix(first), last - first, dim_, nullptr,
                                                    scratch_.data(), vectors_.data(), conditions);
    for (Index i = first; i < last; ++i)
      if ((refused >> (i - first) & 1U) == 0)
        std::copy_n(vectors_.data() + (i - first) * dim_ * dim_, dim_ * dim_, matrix(i));
    for (Index i = first; i < last; ++i)
      if ((refused >> (i - first) & 1U) != 0) by_eigenvectors(i, i + 1);
  }

 private:
  void by_eigenvectors(Index first, Index last) {
    // The decomposition takes positive definite matrices. A multiple of the identity makes all of them so.
    const bool any_sign = function_.kind == Kind::exponential;
    for (Index i = first; i < last && any_sign; ++i) {
      Eigen::Map<Matrix> shifted(matrix(i), dim_, dim_);
      shifts_(i - first) = 1 + 2 * shifted.cwiseAbs().rowwise().sum().maxCoeff();
      shifted.diagonal().array() += shifts_(i - first);
    }
    decompose(first, last);
    for (Index i = first; i < last; ++i) {
      auto values = values_.row(i - first);
      // Values are in descending order.
      const double smallest = static_cast<double>(dim_) * std::numeric_limits<double>::epsilon() * values(0);
      if (!any_sign && !(values(dim_ - 1) > smallest))
        throw InvalidInput(fmt::format("matrix {} is not positive definite", i));
      if (any_sign) values.array() -= shifts_(i - first);
      values = values.unaryExpr([&](double value) { return function_of(value, function_); }).eval();
    }
    detail::recompose_group(values_.data(), vectors_.data(), last - first, dim_, scratch_.data(), matrix(first));
  }

  double* matrix(Index i) { return stack_.values.data() + i * dim_ * dim_; }

  void decompose(Index first, Index last) {
    unsigned failed = 0;
    // Single matrices too, so that a matrix has the same result alone and in a stack.
    if (dim_ <= detail::largest_in_lanes) {
      failed =
          detail::decompose_group(matrix(first), last - first, dim_, scratch_.data(), values_.data(), vectors_.data());
    } else {
      for (Index i = first; i < last; ++i) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(stack_[i]);
        values_.row(i - first) = solver.eigenvalues().reverse().transpose();
        Eigen::Map<Matrix>(vectors_.data() + (i - first) * dim_ * dim_, dim_, dim_) =
            solver.eigenvectors().rowwise().reverse();
        if (solver.info() != Eigen::Success) failed |= 1U;
      }
    }
    if (failed != 0)
      throw NumericalFailure(
          fmt::format("the eigenvalues of one of the matrices {} to {} did not converge", first, last - 1));
  }

  MatrixStack& stack_;
  const MatrixFunction& function_;
  Index dim_;
  detail::AlignedArray<double> scratch_;
  Eigen::VectorXd shifts_;
  Matrix values_;
  std::vector<double> vectors_;
};

}  // namespace

MatrixFunction MatrixFunction::parse(std::string_view text, double exponent) {
  return {
      detail::find_by_name(std::span<const MatrixFunctionRow>(matrix_function_table), text, "matrix function").value,
      exponent};
}

MatrixStack matrix_function(MatrixStack&& symmetric, const MatrixFunction& function, int threads) {
  detail::check_shape(symmetric.values.size(), symmetric.count, symmetric.dim);
  MatrixStack stack = std::move(symmetric);
  constexpr Index group = detail::eigen_group;
  const double cost = static_cast<double>(group) * detail::cubic_cost(stack.dim, spectral(function) ? 0.2 : 0.8);
  detail::for_ranges((stack.count + group - 1) / group, threads, cost, [&](Index first, Index last) {
    FunctionOfGroup apply(stack, function);
    for (Index g = first; g < last; ++g) apply(g * group, std::min((g + 1) * group, stack.count));
  });
  return stack;
}

}  // namespace dsk
