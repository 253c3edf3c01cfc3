#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/parallel.hpp"
#include "spd/spd.hpp"

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
