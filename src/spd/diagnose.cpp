#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

Eigen::VectorXd ascending_eigenvalues(const Matrix& x) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(x, Eigen::EigenvaluesOnly).eigenvalues();
}

/// x scaled to unit diagonal, so that its rank does not depend on units; x itself if it cannot be positive
/// semidefinite.
Matrix comparable_rows(const Matrix& x) {
  Matrix scaled = x;
  for (Index r = 0; r < x.rows(); ++r)
    for (Index c = 0; c < x.cols(); ++c) {
      const double unit = std::sqrt(std::abs(x(r, r))) * std::sqrt(std::abs(x(c, c)));
      if (x(r, r) < 0 || std::abs(x(r, c)) > 2 * unit) return x;
      if (unit > 0) scaled(r, c) /= unit;
    }
  return scaled;
}

void explain_failed_factor(const Matrix& x, Diagnosis& result) {
  const Index dim = x.rows();
  const Eigen::VectorXd eigenvalues = ascending_eigenvalues(comparable_rows(x));
  const double limit =
      static_cast<double>(dim) * std::numeric_limits<double>::epsilon() * eigenvalues.cwiseAbs().maxCoeff();
  result.defect = eigenvalues(0) < -limit ? Defect::indefinite : Defect::rank_deficient;
  result.numerical_rank = (eigenvalues.array().abs() > limit).count();
  if (result.defect == Defect::rank_deficient) result.numerical_rank = std::min(result.numerical_rank, dim - 1);
  result.condition = std::numeric_limits<double>::infinity();
}

}  // namespace

std::string_view name(Defect defect) {
  switch (defect) {
    case Defect::none:
      return "none";
    case Defect::not_finite:
      return "not finite";
    case Defect::asymmetric:
      return "not symmetric";
    case Defect::indefinite:
      return "indefinite";
    case Defect::rank_deficient:
      return "rank deficient";
  }
  return "unknown";
}

std::string Diagnosis::message() const {
  switch (defect) {
    case Defect::none:
      return fmt::format("matrix {} is positive definite: condition {:.3g}", index, condition);
    case Defect::not_finite:
      return fmt::format("matrix {} contains NaN or Inf and cannot be repaired", index);
    case Defect::asymmetric:
      return fmt::format(
          "matrix {} is not symmetric: entries (i, j) and (j, i) differ by up to {:.3g} of the largest entry, the "
          "limit "
          "is {:.3g}; it cannot be repaired",
          index, asymmetry, symmetry_limit);
    case Defect::indefinite:
      return fmt::format(
          "matrix {} is indefinite: smallest eigenvalue {:.3g}, largest {:.3g}, numerical rank {} of {}; use the "
          "repair clip, or ridge or shrink with a large enough amount",
          index, smallest_eigenvalue, largest_eigenvalue, numerical_rank, dim);
    case Defect::rank_deficient:
      if (numerical_rank == 0)
        return fmt::format("matrix {} is all zeros (numerical rank 0 of {}) and cannot be repaired", index, dim);
      return fmt::format(
          "matrix {} is rank deficient: smallest eigenvalue {:.3g}, numerical rank {} of {}; use the repair "
          "ridge, shrink or clip",
          index, smallest_eigenvalue, numerical_rank, dim);
  }
  return {};
}

namespace detail {

Diagnosis diagnose_matrix(const MatrixView& x, Index index, double tolerance) {
  Diagnosis result{.index = index, .dim = x.rows(), .symmetry_limit = tolerance};
  if (!x.allFinite()) {
    result.defect = Defect::not_finite;
    result.asymmetry = result.smallest_eigenvalue = result.largest_eigenvalue = result.condition =
        std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  const double peak = x.cwiseAbs().maxCoeff();
  const double unit = peak > 0 ? peak : 1;
  const Matrix relative = x / unit;
  const Matrix symmetric = (relative + relative.transpose()) / 2;
  result.asymmetry = (relative - relative.transpose()).cwiseAbs().maxCoeff();

  Matrix scratch, inverse;
  const MatrixView view(symmetric.data(), x.rows(), x.cols());
  if (is_positive_definite(view, scratch, inverse)) {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
    positive_eigen(view, values, vectors);
    result.largest_eigenvalue = values(0) * unit;
    result.smallest_eigenvalue = values(x.rows() - 1) * unit;
    result.condition = values(0) / values(x.rows() - 1);
    result.numerical_rank = x.rows();
  } else {
    const Eigen::VectorXd values = ascending_eigenvalues(symmetric);
    result.smallest_eigenvalue = values(0) * unit;
    result.largest_eigenvalue = values(x.rows() - 1) * unit;
    explain_failed_factor(symmetric, result);
  }
  if (result.asymmetry > tolerance) result.defect = Defect::asymmetric;
  return result;
}

}  // namespace detail

std::vector<Diagnosis> diagnose(const MatrixStack& stack, int threads) {
  detail::check_shape(stack.values.size(), stack.count, stack.dim);
  std::vector<Diagnosis> result(static_cast<std::size_t>(stack.count));
  detail::for_ranges(stack.count, threads, detail::cubic_cost(stack.dim, 20), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      result[static_cast<std::size_t>(i)] = detail::diagnose_matrix(stack[i], i, symmetry_tolerance);
  });
  return result;
}

}  // namespace dsk
