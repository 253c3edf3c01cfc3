#include "engine/cpu/nearest.hpp"

#include <dsk/engine.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
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

constexpr Index lanes = group_size<double>;

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

AbandoningSearch::AbandoningSearch(const NearestIndex& index)
    : index_(index),
      bounds_(index.groups() * lanes),
      scratch_(nearest_scratch(index.dim())),
      order_(static_cast<std::size_t>(index.groups())) {}

void AbandoningSearch::bound(const PreparedBatch& x, Index i) {
  const Leading& known = *index_.batch().leading;
  SteinTile<double> tile;
  tile.x = &x.leading->blocks;
  tile.y = &known.blocks;
  tile.row = i;
  tile.rows = 1;
  tile.groups = index_.groups();
  tile.row_offset = x.leading->block_halves.data();
  tile.column_offset = known.block_halves.data();
  const PairPosition failure = stein_tile(tile, bounds_.data(), bounds_.size(), scratch_.data());
  if (failure.found()) std::fill_n(bounds_.data(), bounds_.size(), 0.0);
  for (Index g = 0; g < index_.groups(); ++g)
    order_[static_cast<std::size_t>(g)] = {
        *std::min_element(bounds_.data() + g * lanes, bounds_.data() + (g + 1) * lanes), g};
  std::sort(order_.begin(), order_.end());
}

double AbandoningSearch::run(const PreparedBatch& x, Index i, NearestList& nearest) {
  bound(x, i);
  const Leading& known = *index_.batch().leading;
  const double row_slack = x.leading->slacks[i / lanes];
  const NearestRow row{index_.dim(), x.packed.row(i), x.halves[i], x.leading->halves_of(i / lanes) + i % lanes};
  double operations = static_cast<double>(index_.groups() * lanes) * factor_cost(known.blocks.dim());
  alignas(64) double divergences[2 * lanes];
  NearestGroup groups[2];
  Index numbers[2] = {};
  const auto search = [&](int count) {
    dsk::detail::check_interrupt();
    NearestOutcome outcomes[2];
    nearest_groups(row, groups, divergences, scratch_.data(), outcomes);
    for (int u = 0; u < count; ++u) {
      const Index first = numbers[u] * lanes;
      if (outcomes[u].failed_lane >= 0)
        throw PairFailure(i, index_.caller_index(std::min(first + outcomes[u].failed_lane, index_.size() - 1)));
      operations += outcomes[u].operations;
      for (Index k = 0; k < std::min(lanes, index_.size() - first); ++k)
        nearest.offer(index_.caller_index(first + k), divergences[u * lanes + k]);
    }
  };
  int waiting = 0;
  for (const auto& [bound, g] : order_) {
    const double limit = nearest.limit() + row_slack + known.slacks[g];
    if (bound > limit) continue;
    numbers[waiting] = g;
    groups[waiting++] = {index_.batch().packed.group(g), index_.batch().halves.data() + g * lanes, known.halves_of(g),
                         bounds_.data() + g * lanes, limit};
    if (waiting == 2) search(2);
    waiting %= 2;
  }
  if (waiting == 1) {
    groups[1] = groups[0];
    groups[1].limit = -1;
    search(1);
  }
  return operations / (static_cast<double>(index_.groups() * lanes) * factor_cost(index_.dim()));
}

WholeSearch::WholeSearch(const NearestIndex& index)
    : index_(index), values_(kLargestTile * kLargestTile), scratch_(factor_scratch<double>(index.dim())) {}

void WholeSearch::run(const PreparedBatch& x, Index first, std::span<NearestList> lists) {
  SteinTile<double> tile;
  tile.x = &x.packed;
  tile.y = &index_.batch().packed;
  tile.row = first;
  tile.rows = static_cast<Index>(lists.size());
  tile.row_offset = x.halves.data();
  tile.column_offset = index_.batch().halves.data();
  const Index step = tile_size<double>(16 * kLargestTile, factor_cost(index_.dim())) / lanes;
  for (tile.group = 0; tile.group < index_.groups(); tile.group += step) {
    dsk::detail::check_interrupt();
    tile.groups = std::min(step, index_.groups() - tile.group);
    const PairPosition failure = stein_tile(tile, values_.data(), kLargestTile, scratch_.data());
    if (failure.found()) throw PairFailure(failure.row, index_.caller_index(failure.column));
    const Index begin = tile.group * lanes, end = std::min(begin + tile.groups * lanes, index_.size());
    for (std::size_t k = 0; k < lists.size(); ++k)
      for (Index position = begin; position < end; ++position) {
        const double divergence = values_[static_cast<Index>(k) * kLargestTile + position - begin];
        if (divergence <= lists[k].limit()) lists[k].offer(index_.caller_index(position), divergence);
      }
  }
}

}  // namespace dsk::engine
