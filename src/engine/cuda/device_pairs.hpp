#pragma once

#include <dsk/engine.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/cuda/engine.hpp"
#include "machine/interrupt.hpp"

namespace dsk::engine {

/// Throws InvalidInput for a device where `what` is computed by the CPU only.
void require_cpu(const PairOptions& options, std::string_view what);

/// Throws what the CPU would for a pair or a matrix that is not numerically positive definite, on all ranks of a team.
void check(const std::optional<cuda::Failure>& failure, const PairOptions& options);

/// The rows of a matrix over pairs that are this process's work: all, or a share of a team's.
RowRange device_rows(Index rows, const PairOptions& options);

/// Calls work(first, count), which returns a failure or none, for strips of rows of which each finds room on the
/// device.
template <class Work>
void for_strips(RowRange range, Index each, const PairOptions& options, const Work& work) {
  std::optional<cuda::Failure> failure;
  for (Index first = range.first; first < range.last && !failure; first += each) {
    detail::check_interrupt();
    failure = work(first, std::min(each, range.last - first));
  }
  check(failure, options);
}

/// What stein.hpp and inverse_sums.hpp promise, on the device that the options name. Visitors are called by the calling
/// thread.
Matrix device_matrix(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const PairOptions& options);
void device_visit(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const TileVisitor& visit,
                  const PairOptions& options);
std::vector<MatrixStack> device_inverse_sums(const SpdBatch& x, const PairWeights& weights, const InverseSums& how);
MatrixStack device_inverse_sums(const SpdBatch& x, const Matrix& weights, const PairOptions& options);
MatrixStack device_inverse_sums(const SpdBatch& x, std::span<const WeightedPair> pairs, const PairOptions& options);

}  // namespace dsk::engine
