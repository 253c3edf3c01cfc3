#include "engine/cpu/nearest_search.hpp"

#include <dsk/engine.hpp>

#include <algorithm>
#include <utility>

#include "engine/cpu/nearest_group.hpp"
#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"

namespace dsk::engine {
namespace {

constexpr Index lanes = group_size<double>;

}  // namespace

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
