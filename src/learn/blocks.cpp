#include "learn/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/engine.hpp"
#include "learn/learn.hpp"
#include "learn/objective.hpp"
#include "machine/shuffle.hpp"

namespace dsk::detail {
namespace {

/// Matrices of each class in a quarter of a block, on average; of the second largest class where classes are unequal.
constexpr Index per_quarter = 2, of_second_class = 3;

/// The smallest block whose quarters are sure to hold two classes.
Index smallest_block(const std::vector<std::vector<Index>>& classes, Index samples) {
  std::vector<Index> sizes;
  sizes.reserve(classes.size());
  for (const std::vector<Index>& members : classes) sizes.push_back(std::ssize(members));
  std::sort(sizes.rbegin(), sizes.rend());
  const Index for_second = (4 * of_second_class * samples + sizes[1] - 1) / sizes[1];
  return std::max(4 * per_quarter * std::ssize(sizes), for_second);
}

/// Between 0 and 1.
double fraction(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11U) + 0.5) * std::ldexp(1, -53);
}

}  // namespace

void check_blocks(Index batch, Criterion criterion, const Dataset& train, const PairOptions& pairs) {
  if (batch < 0) throw InvalidInput(fmt::format("batch {} must be 0 or more", batch));
  if (batch == 0) return;
  if (has_soft_margin(criterion))
    throw InvalidInput(
        fmt::format("criterion {} is not a sum over pairs and cannot be learned in batches; use one of {}",
                    name(criterion), pair_criterion_choices()));
  engine::require_cpu(pairs, "learning from random blocks");
  if (!learns_by_blocks(batch, train)) return;
  const auto classes = members_of(train.labels());
  if (classes.size() < 2) return;  // which learning itself refuses
  const Index smallest = std::min(smallest_block(classes, train.size()), train.size());
  if (batch < smallest)
    throw InvalidInput(fmt::format("batch {} is too small for the {} classes of these {} matrices; use {} or more",
                                   batch, classes.size(), train.size(), smallest));
}

RandomBlocks::RandomBlocks(const Labels& labels, Index size, std::uint64_t seed)
    : size_(size), classes_(members_of(labels)), random_(seed), order_(labels.codes().size()) {
  shuffle();
}

void RandomBlocks::shuffle() {
  // The k-th matrix of n of a class comes at (k + u) / n, u between 0 and 1, of the way.
  std::vector<std::pair<double, Index>> places;
  places.reserve(order_.size());
  for (std::vector<Index>& members : classes_) {
    detail::shuffle(members, random_);
    const double shift = fraction(random_);
    for (std::size_t k = 0; k < members.size(); ++k)
      places.emplace_back((static_cast<double>(k) + shift) / static_cast<double>(members.size()), members[k]);
  }
  std::sort(places.begin(), places.end());
  std::transform(places.begin(), places.end(), order_.begin(), [](const auto& place) { return place.second; });
  drawn_ = 0;
}

void RandomBlocks::draw(Index count) {
  blocks_.reserve(static_cast<std::size_t>(std::max<Index>(count, 0)));
  while (this->count() < count) {
    if (drawn_ + size_ > std::ssize(order_)) shuffle();
    const auto first = order_.begin() + drawn_;
    blocks_.emplace_back(first, first + size_);
    drawn_ += size_;
  }
}

void RandomBlocks::start_again() {
  blocks_.clear();
  shuffle();
}

SpdBatch run_of(const SpdBatch& x, Index first, Index count) {
  if (first == 0 && count == x.size()) return x;
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), first);
  return x.select(indices);
}

double extrapolation_factor(Index block, Index samples) {
  const auto inverse = [](Index size) { return 1 / static_cast<double>(size); };
  const double of_halves = (inverse(block / 2) + inverse(block - block / 2)) / 2;
  return (inverse(block) - inverse(samples)) / (of_halves - inverse(block));
}

}  // namespace dsk::detail
