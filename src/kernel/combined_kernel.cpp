#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/messages.hpp"

namespace dsk {
namespace {

void check_width(const CombinedKernel::Width& width) {
  if (!(width.weight >= 0 && std::isfinite(width.weight)))
    throw InvalidInput(fmt::format("the weight {} of a kernel must be finite and not negative", width.weight));
  if (!(width.variance > 0 && std::isfinite(width.variance)))
    throw InvalidInput(fmt::format("the variance {} of a kernel must be finite and above 0", width.variance));
}

bool has_weight(const CombinedKernel::Part& part) {
  return std::any_of(part.widths.begin(), part.widths.end(), [](const auto& width) { return width.weight > 0; });
}

std::vector<Index> positions(Index first, Index count) {
  std::vector<Index> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// Adds the kernels of a part to the sum, given its squared distances.
void add_kernels(const CombinedKernel& kernel, const CombinedKernel::Part& part, const Matrix& squared, int threads,
                 Matrix& sum) {
  Matrix values;
  for (const CombinedKernel::Width& width : part.widths) {
    if (width.weight == 0) continue;
    values = squared;
    exponential_in_place(values, -width.theta, threads);
    sum += kernel.factor(width) * values;
  }
}

}  // namespace

CombinedKernel::CombinedKernel(std::vector<Part> parts) : parts_(std::move(parts)) {
  std::optional<Index> dim;
  for (const auto& [comparison, widths] : parts_) {
    if (widths.empty()) throw InvalidInput("a part of a combined kernel has no widths");
    if (!(comparison.zeta > 0 && std::isfinite(comparison.zeta)))
      throw InvalidInput(fmt::format("zeta {} must be finite and above 0", comparison.zeta));
    if (comparison.learned) {
      if (comparison.learned->metric() != comparison.metric)
        throw InvalidInput(fmt::format("the learned kernel compares by {}, not by {}",
                                       name(comparison.learned->metric()), name(comparison.metric)));
      const Index own = comparison.learned->dim();
      if (own != dim.value_or(own))
        throw InvalidInput(fmt::format("kernels of matrices of size {} and of size {} cannot be combined", *dim, own));
      dim = own;
    }
    for (const Width& width : widths) {
      constexpr Index any_dim = 1;
      check_theta(comparison.metric, width.theta, any_dim, true);
      check_width(width);
      sum_ += width.weight / width.variance;
    }
  }
  if (!(sum_ > 0 && std::isfinite(sum_)))
    throw InvalidInput("a combined kernel needs at least one kernel with a weight above 0, and finite sums");
}

bool CombinedKernel::is_valid(Index dim) const {
  for (const auto& [comparison, widths] : parts_)
    for (const Width& width : widths)
      if (width.weight > 0 && !is_valid_theta(comparison.metric, width.theta, detail::compared_dim(comparison, dim)))
        return false;
  return true;
}

std::vector<CombinedKernel::Share> CombinedKernel::shares() const {
  std::vector<Share> shares;
  for (const Part& part : parts_)
    for (const Width& width : part.widths)
      if (width.weight > 0) shares.push_back({width.name, width.weight});
  return shares;
}

Matrix kernel_matrix(const CombinedKernel& kernel, const SpdBatch& x, const PairOptions& options) {
  Matrix sum = Matrix::Zero(x.size(), x.size());
  for (const CombinedKernel::Part& part : kernel.parts())
    if (has_weight(part))
      add_kernels(kernel, part, pairwise_squared_distances(part.comparison, x, options), options.threads, sum);
  return sum;
}

Matrix kernel_matrix(const CombinedKernel& kernel, const SpdBatch& x, const SpdBatch& y, const PairOptions& options) {
  Matrix sum = Matrix::Zero(x.size(), y.size());
  for (const CombinedKernel::Part& part : kernel.parts())
    if (has_weight(part))
      add_kernels(kernel, part, pairwise_squared_distances(part.comparison, x, y, options), options.threads, sum);
  return sum;
}

std::vector<ComparedBatch> detail::compared_parts(const CombinedKernel& kernel, const SpdBatch& x, int threads) {
  std::vector<ComparedBatch> result;
  result.reserve(kernel.parts().size());
  for (const CombinedKernel::Part& part : kernel.parts()) result.emplace_back(part.comparison, x, threads);
  return result;
}

void detail::visit_combined_blocks(const CombinedKernel& kernel, const SpdBatch& x,
                                   std::span<const ComparedBatch> known, const PairOptions& options,
                                   const std::function<void(Index first, Matrix kernel)>& visit) {
  check_model_dim(x.dim(), x.dim(), known.front().dim());
  const Index rows = rows_at_a_time(known.front().size(), x.size());
  for (Index first = 0; first < x.size(); first += rows) {
    const Index count = std::min(rows, x.size() - first);
    const SpdBatch run = count == x.size() ? x : x.select(positions(first, count));
    Matrix sum = Matrix::Zero(count, known.front().size());
    try {
      for (std::size_t p = 0; p < known.size(); ++p) {
        const CombinedKernel::Part& part = kernel.parts()[p];
        if (!has_weight(part)) continue;
        const ComparedBatch points(part.comparison, run, options.threads);
        add_kernels(kernel, part, pairwise_squared_distances(points, known[p], options), options.threads, sum);
      }
    } catch (const PairFailure& failure) {
      throw PairFailure(failure.row() + first, failure.column());
    } catch (const UndefinedForData&) {
      // For a message with the matrix's place among all.
      if (first > 0) compared_parts(kernel, x, options.threads);
      throw;
    }
    visit(first, std::move(sum));
  }
}

}  // namespace dsk
