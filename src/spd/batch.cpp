#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "machine/aligned.hpp"
#include "machine/lapack.hpp"
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

namespace {

/// Calls work(r, c, end) for runs of columns c to end - 1 of rows r of the lower triangle, diagonal included, in square
/// blocks: entries above the diagonal are then read from cache.
template <class Work>
void for_lower_blocks(Index dim, const Work& work) {
  constexpr Index side = 32;
  for (Index row = 0; row < dim; row += side)
    for (Index column = 0; column <= row; column += side)
      for (Index r = row; r < std::min(row + side, dim); ++r) work(r, column, std::min(column + side, r + 1));
}

}  // namespace

bool symmetrise(Eigen::Map<Matrix> x, double tolerance) {
  SymmetryScan scan;
  scan_symmetry(x.data(), x.rows(), 0, x.rows(), scan);
  if (!scan.finite || scan.asymmetry > tolerance * scan.largest) return false;
  if (scan.asymmetry == 0) return true;
  for_lower_blocks(x.rows(), [&](Index r, Index first, Index last) {
    for (Index c = first; c < last; ++c) x(r, c) = x(c, r) = x(r, c) + (x(c, r) - x(r, c)) / 2;
  });
  return true;
}

void scale_to_unit_diagonal(const MatrixView& x, Matrix& scaled) {
  scaled.resize(x.rows(), x.cols());
  scaled.diagonal() = x.diagonal().cwiseSqrt().cwiseInverse();
  for_lower_blocks(x.rows(), [&](Index r, Index first, Index last) {
    const double row_scale = scaled(r, r);
    for (Index c = first; c < std::min(last, r); ++c) scaled(c, r) = scaled(r, c) = x(r, c) * row_scale * scaled(c, c);
  });
  scaled.diagonal().setOnes();
}

void invert_factor(const Matrix& lower, Matrix& inverse) {
  const Index dim = lower.rows();
  if (factored_by_lapack(dim)) {
    inverse = lower;
    lapack::invert_lower(inverse.data(), dim);
    return;
  }
  inverse.setIdentity(dim, dim);
  lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
}

void invert_from_factor(const Matrix& lower, Matrix& inverse_factor, Matrix& inverse) {
  const Index dim = lower.rows();
  if (factored_by_lapack(dim)) {
    inverse = lower;
    lapack::invert_from_factor(inverse.data(), dim);
    lapack::mirror(inverse.data(), dim);
    return;
  }
  invert_factor(lower, inverse_factor);
  inverse.noalias() = inverse_factor.transpose() * inverse_factor;
}

}  // namespace dsk::detail

namespace dsk {
namespace {

template <class T>
MatrixStack copy_checked_shape(std::span<const T> values, Index count, Index dim) {
  detail::check_shape(values.size(), count, dim);
  return {count, dim, std::vector<double>(values.begin(), values.end())};
}

/// Checks the matrices of a stack and makes them exactly symmetric.
class StackCheck {
 public:
  StackCheck(MatrixStack& stack, double tolerance, Check check)
      : stack_(stack), tolerance_(tolerance), positive_definite_(check == Check::positive_definite) {}

  /// Matrices `first` to `last` - 1, in groups if they are small.
  void operator()(Index first, Index last) {
    if (!positive_definite_ || stack_.dim > detail::largest_checked_in_lanes) {
      for (Index i = first; i < last; ++i) check_one(i);
      return;
    }
    detail::AlignedArray<double> scratch(detail::check_scratch(stack_.dim));
    for (Index begin = first; begin < last; begin += detail::eigen_group) {
      const Index count = std::min(detail::eigen_group, last - begin);
      const detail::GroupCheck found =
          detail::check_group(matrix(begin), count, stack_.dim, tolerance_, scratch.data());
      for (Index k = 0; k < count; ++k) {
        if ((found.valid >> k & 1U) == 0)
          check_one(begin + k);
        else if ((found.exact >> k & 1U) == 0)
          symmetrise(begin + k, true);
      }
    }
  }

 private:
  double* matrix(Index i) { return stack_.values.data() + i * stack_.dim * stack_.dim; }

  void check_one(Index i) {
    if (positive_definite_ && !factor_) factor_.emplace(stack_.dim);
    const bool is_valid = !factor_ || factor_->check(matrix(i), tolerance_);
    if (!is_valid || !factor_ || !factor_->is_exactly_symmetric()) symmetrise(i, is_valid);
  }

  void symmetrise(Index i, bool is_valid) {
    if (!detail::symmetrise({matrix(i), stack_.dim, stack_.dim}, tolerance_) || !is_valid)
      throw InvalidInput(detail::diagnose_matrix(stack_[i], i, tolerance_).message());
  }

  MatrixStack& stack_;
  double tolerance_;
  bool positive_definite_;
  std::optional<detail::CheckedFactor> factor_;
};

std::shared_ptr<const MatrixStack> checked(MatrixStack&& stack, double tolerance, int threads,
                                           Check check = Check::positive_definite) {
  detail::check_shape(stack.values.size(), stack.count, stack.dim);
  const Index dim = stack.dim;
  const bool spd = check == Check::positive_definite;
  const double cubic = dim <= detail::largest_checked_in_lanes ? 0.1 : detail::factored_by_lapack(dim) ? 0.05 : 1;
  const double cost = static_cast<double>(dim * dim) + (spd ? detail::cubic_cost(dim, cubic) : 0);
  detail::for_ranges(stack.count, threads, cost,
                     [&](Index first, Index last) { StackCheck(stack, tolerance, check)(first, last); });
  return std::make_shared<const MatrixStack>(std::move(stack));
}

}  // namespace

SpdBatch::SpdBatch(std::span<const double> values, Index count, Index dim, int threads, Check check)
    : stack_(checked(copy_checked_shape(values, count, dim), symmetry_tolerance, threads, check)) {}

SpdBatch::SpdBatch(std::span<const float> values, Index count, Index dim, int threads, Check check)
    : stack_(checked(copy_checked_shape(values, count, dim), symmetry_tolerance_float32, threads, check)) {}

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
