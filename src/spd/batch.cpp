#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/parallel.hpp"
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

namespace dsk {
namespace {

template <class T>
MatrixStack copy_checked_shape(std::span<const T> values, Index count, Index dim) {
  detail::check_shape(values.size(), count, dim);
  return {count, dim, std::vector<double>(values.begin(), values.end())};
}

std::shared_ptr<const MatrixStack> checked(MatrixStack&& stack, double tolerance, int threads) {
  detail::check_shape(stack.values.size(), stack.count, stack.dim);
  const Index dim = stack.dim;
  detail::for_ranges(stack.count, threads, detail::cubic_cost(dim, 1), [&](Index first, Index last) {
    Matrix scratch, inverse;
    for (Index i = first; i < last; ++i)
      if (!detail::symmetrise({stack.values.data() + i * dim * dim, dim, dim}, tolerance) ||
          !detail::is_positive_definite(stack[i], scratch, inverse))
        throw InvalidInput(detail::diagnose_matrix(stack[i], i, tolerance).message());
  });
  return std::make_shared<const MatrixStack>(std::move(stack));
}

}  // namespace

SpdBatch::SpdBatch(std::span<const double> values, Index count, Index dim, int threads)
    : stack_(checked(copy_checked_shape(values, count, dim), symmetry_tolerance, threads)) {}

SpdBatch::SpdBatch(std::span<const float> values, Index count, Index dim, int threads)
    : stack_(checked(copy_checked_shape(values, count, dim), symmetry_tolerance_float32, threads)) {}

SpdBatch::SpdBatch(MatrixStack&& stack, int threads) : stack_(checked(std::move(stack), symmetry_tolerance, threads)) {}

void SpdBatch::append(const Eigen::Ref<const Matrix>& matrix, MatrixStack& stack) {
  const Index dim = stack.dim;
  if (matrix.rows() != dim || matrix.cols() != dim)
    throw InvalidInput(fmt::format("matrix {} has shape ({}, {}), but must be {} x {}: the first matrix has {} rows",
                                   stack.count, matrix.rows(), matrix.cols(), dim, dim, dim));
  stack.values.insert(stack.values.end(), static_cast<std::size_t>(dim * dim), 0);
  Eigen::Map<Matrix>(stack.values.data() + stack.count++ * dim * dim, dim, dim) = matrix;
}

std::vector<Eigen::MatrixXd> SpdBatch::to_vector() const {
  return std::vector<Eigen::MatrixXd>(begin(), end());
}

SpdBatch SpdBatch::select(std::span<const Index> indices) const {
  if (indices.empty()) throw InvalidInput("no indices given, but a batch needs at least 1 matrix");
  const Index entries = dim() * dim();
  MatrixStack chosen{static_cast<Index>(indices.size()), dim(), {}};
  chosen.values.reserve(indices.size() * static_cast<std::size_t>(entries));
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Index i = indices[k];
    if (i < 0 || i >= size())
      throw InvalidInput(fmt::format("index {} (at position {}) is out of range for {} matrices", i, k, size()));
    const auto matrix = values().subspan(static_cast<std::size_t>(i * entries), static_cast<std::size_t>(entries));
    chosen.values.insert(chosen.values.end(), matrix.begin(), matrix.end());
  }
  // These matrices were checked when this batch was made.
  SpdBatch result;
  result.stack_ = std::make_shared<const MatrixStack>(std::move(chosen));
  return result;
}

SpdBatch detail::trust(MatrixStack&& stack) {
  check_shape(stack.values.size(), stack.count, stack.dim);
  const std::size_t size = static_cast<std::size_t>(stack.dim * stack.dim);
  for (std::size_t k = 0; k < stack.values.size(); ++k)
    if (!std::isfinite(stack.values[k])) throw InvalidInput(fmt::format("matrix {} contains NaN or Inf", k / size));
  SpdBatch batch;
  batch.stack_ = std::make_shared<const MatrixStack>(std::move(stack));
  return batch;
}

}  // namespace dsk
