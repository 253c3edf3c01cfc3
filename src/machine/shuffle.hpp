#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace dsk::detail {

/// A random number below `limit`. The same on every machine, unlike the distributions of the standard library.
inline std::size_t below(std::mt19937_64& random, std::size_t limit) {
  const std::uint64_t end = std::mt19937_64::max() - std::mt19937_64::max() % limit;
  std::uint64_t draw = random();
  while (draw >= end) draw = random();
  return draw % limit;
}

/// A random permutation. The same on every machine, unlike std::shuffle.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(random, left)]);
}

}  // namespace dsk::detail
