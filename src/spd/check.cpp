#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <cmath>
#include <limits>

#include "spd/spd.hpp"

namespace dsk::detail {

void check_shape(std::size_t values, Index count, Index dim) {
  if (count < 1) throw InvalidInput(fmt::format("count is {}, but a batch needs at least 1 matrix", count));
  if (dim < 1) throw InvalidInput(fmt::format("matrix size is {}, but must be at least 1", dim));
  // Divided, not multiplied: count * dim * dim may overflow.
  const auto n = static_cast<std::size_t>(count), d = static_cast<std::size_t>(dim);
  if (values % d != 0 || values / d % d != 0 || values / d / d != n)
    throw InvalidInput(fmt::format("{} values do not form {} matrices of size {} x {}", values, count, dim, dim));
}

bool symmetrise(Eigen::Map<Matrix> x, double tolerance) {
  if (!x.allFinite()) return false;
  const double limit = tolerance * x.cwiseAbs().maxCoeff();
  for (Index r = 0; r < x.rows(); ++r)
    for (Index c = 0; c < r; ++c) {
      const double difference = x(c, r) - x(r, c);
      if (!(std::abs(difference) <= limit)) return false;
      x(r, c) = x(c, r) = x(r, c) + difference / 2;
    }
  return true;
}

void scale_to_unit_diagonal(const MatrixView& x, Matrix& scaled) {
  scaled.resize(x.rows(), x.cols());
  for (Index r = 0; r < x.rows(); ++r) {
    const double row_scale = 1 / std::sqrt(x(r, r));
    for (Index c = 0; c < r; ++c) scaled(c, r) = scaled(r, c) = x(r, c) * row_scale / std::sqrt(x(c, c));
    scaled(r, r) = 1;
  }
}

bool is_positive_definite(const MatrixView& x, Matrix& scratch, Matrix& inverse) {
  for (Index k = 0; k < x.rows(); ++k)
    if (!(x(k, k) > 0)) return false;
  scale_to_unit_diagonal(x, scratch);
  Eigen::LLT<Eigen::Ref<Matrix>> factor(scratch);
  if (factor.info() != Eigen::Success) return false;
  // All pivots can be large although the smallest eigenvalue is tiny. It is at least 1 / tr(C^-1), so check that.
  inverse.setIdentity(x.rows(), x.cols());
  scratch.triangularView<Eigen::Lower>().solveInPlace(inverse);
  const double limit = static_cast<double>(x.rows()) * std::numeric_limits<double>::epsilon();
  return inverse.squaredNorm() * limit < 1;
}

void cholesky_factor(const MatrixView& x, Matrix& lower) {
  scale_to_unit_diagonal(x, lower);
  Eigen::LLT<Eigen::Ref<Matrix>> in_place(lower);
  lower.triangularView<Eigen::StrictlyUpper>().setZero();
  for (Index r = 0; r < x.rows(); ++r) lower.row(r) *= std::sqrt(x(r, r));
}

}  // namespace dsk::detail
