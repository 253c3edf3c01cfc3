#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace dsk::detail {

/// A random order, the same on every machine, which std::shuffle does not promise.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    const std::uint64_t limit = std::mt19937_64::max() - std::mt19937_64::max() % left;
    std::uint64_t draw = random();
    while (draw >= limit) draw = random();
    std::swap(items[left - 1], items[draw % left]);
  }
}

}  // namespace dsk::detail
