#include "engine/cpu/nearest_index.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/cpu/nearest_group.hpp"
#include "engine/cpu/stein_tile.hpp"
#include "machine/parallel.hpp"

namespace dsk::engine {
namespace {

/// Rows of the blocks that bound a divergence: dimensions that have a kernel of their own.
Index bounding_rows(Index dim) {
  return dim <= 24 ? 5 : 8;
}

void fill_halves(const PackedBatch<double>& batch, double* halves, double* scratch) {
  self_logdets(batch, halves, scratch);
  for (Index i = 0; i < batch.groups() * group_size<double>; ++i) halves[i] /= 2;
}

AlignedArray<double> per_matrix(const PackedBatch<double>& batch) {
  return AlignedArray<double>(batch.groups() * group_size<double>);
}

std::vector<Index> checked_order(std::span<const Index> order, Index size) {
  std::vector<Index> result(order.begin(), order.end());
  std::vector<Index> sorted = result, all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), Index{0});
  std::sort(sorted.begin(), sorted.end());
  if (sorted != all) throw InvalidInput(fmt::format("order is not a permutation of 0 .. {}", size - 1));
  return result;
}

/// Up to this dimension a whole factor costs less than looking at a part of it first.
constexpr Index largest_whole = 8;

}  // namespace

Leading::Leading(const PackedBatch<double>& batch)
    : strips((batch.dim() + 3) / 4),
      blocks(batch.leading(bounding_rows(batch.dim()))),
      block_halves(per_matrix(batch)),
      halves(batch.groups() * strips * group_size<double>),
      slacks(batch.groups()) {}

void Leading::prepare(const PackedBatch<double>& batch, Index g, double* scratch) {
  double traces[group_size<double>];
  prepare_group(batch.group(g), batch.dim(), halves.data() + g * strips * group_size<double>, traces, scratch);
  // An elimination's backward error is some (d + 1) eps of the diagonal in every entry, and a log-determinant moves by
  // at most d times that times the trace of the inverse in units of the diagonal. A pair's mean is no less than half of
  // either matrix, so that its trace is at most the sum of theirs. The factor 4 d is to spare.
  const double d = static_cast<double>(batch.dim()), eps = std::numeric_limits<double>::epsilon();
  slacks[g] = 4 * eps * d * d * d * std::accumulate(std::begin(traces), std::end(traces), 0.0);
  if (!std::isfinite(slacks[g])) slacks[g] = std::numeric_limits<double>::infinity();
}

PreparedBatch::PreparedBatch(const SpdBatch& batch, const CoordinateScale& scale, bool for_giving_up, int threads)
    : packed(batch, scale), halves(self_logdets(packed)) {
  for (Index i = 0; i < halves.size(); ++i) halves[i] /= 2;
  if (!for_giving_up) return;
  leading.emplace(packed);
  AlignedArray<double> scratch(factor_scratch<double>(packed.dim()));
  fill_halves(leading->blocks, leading->block_halves.data(), scratch.data());
  detail::for_ranges(packed.groups(), threads, detail::cubic_cost(packed.dim(), 0.4), [&](Index first, Index last) {
    AlignedArray<double> own(nearest_scratch(packed.dim()));
    for (Index g = first; g < last; ++g) leading->prepare(packed, g, own.data());
  });
}

PreparedBatch::PreparedBatch(Index dim, bool for_giving_up) : packed(dim), halves(per_matrix(packed)) {
  if (for_giving_up) leading.emplace(packed);
}

void PreparedBatch::set(const MatrixView& matrix, const CoordinateScale& scale, double* scratch) {
  packed.set(matrix, scale);
  fill_halves(packed, halves.data(), scratch);
  if (!leading) return;
  leading->blocks.set_leading(packed);
  fill_halves(leading->blocks, leading->block_halves.data(), scratch);
  leading->prepare(packed, 0, scratch);
}

NearestIndex::NearestIndex(const SpdBatch& known, std::span<const Index> order, int threads)
    : known_(known),
      order_(checked_order(order, known.size())),
      scale_(known, nullptr),
      batch_(known.select(order_), scale_, known.dim() > largest_whole, threads) {}

}  // namespace dsk::engine
