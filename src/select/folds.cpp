#include <dsk/select/folds.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace dsk {
namespace {

/// The same order on every machine, which std::shuffle does not promise.
void shuffle(std::vector<Index>& items, std::mt19937_64& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    const std::uint64_t limit = std::mt19937_64::max() - std::mt19937_64::max() % left;
    std::uint64_t draw = random();
    while (draw >= limit) draw = random();
    std::swap(items[left - 1], items[draw % left]);
  }
}

}  // namespace

std::vector<Split> stratified_folds(const Labels& labels, Index folds, std::uint64_t seed) {
  if (folds < 2) throw InvalidInput(fmt::format("cross-validation needs at least 2 folds, not {}", folds));
  std::vector<std::vector<Index>> members(labels.names().size());
  for (Index i = 0; i < labels.size(); ++i) members[static_cast<std::size_t>(labels[i])].push_back(i);
  std::size_t largest = 0;
  for (const auto& of_class : members) largest = std::max(largest, of_class.size());
  if (largest < 2) throw InvalidInput("cross-validation needs a class with at least two matrices");

  const std::size_t count = std::min(static_cast<std::size_t>(folds), largest);
  std::mt19937_64 random(seed);
  std::vector<std::size_t> fold(static_cast<std::size_t>(labels.size()), count);
  std::size_t next = 0;
  for (auto& of_class : members) {
    if (of_class.size() < 2) continue;
    shuffle(of_class, random);
    for (const Index i : of_class) fold[static_cast<std::size_t>(i)] = next++ % count;
  }
  std::vector<Split> splits(count);
  for (std::size_t s = 0; s < count; ++s)
    for (Index i = 0; i < labels.size(); ++i)
      (fold[static_cast<std::size_t>(i)] == s ? splits[s].test : splits[s].train).push_back(i);
  return splits;
}

}  // namespace dsk
