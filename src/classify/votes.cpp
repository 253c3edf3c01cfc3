#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "classify/classify.hpp"

namespace dsk {

int most_votes(std::span<const int> nearest_first) {
  if (nearest_first.empty()) throw InvalidInput("nobody votes");
  std::map<int, int> votes;
  int most = 0;
  for (const int c : nearest_first) most = std::max(most, ++votes[c]);
  return *std::find_if(nearest_first.begin(), nearest_first.end(), [&](int c) { return votes[c] == most; });
}

int most_votes(std::span<const int> nearest_first, std::span<int> counts) {
  if (nearest_first.empty()) throw InvalidInput("nobody votes");
  std::fill(counts.begin(), counts.end(), 0);
  const auto votes_of = [&](int c) -> int& { return counts[static_cast<std::size_t>(c)]; };
  int most = 0;
  for (const int c : nearest_first) most = std::max(most, ++votes_of(c));
  return *std::find_if(nearest_first.begin(), nearest_first.end(), [&](int c) { return votes_of(c) == most; });
}

std::vector<int> nearest_classes(std::span<const double> distances, std::span<const int> classes, Index neighbours) {
  if (distances.empty() || distances.size() != classes.size())
    throw InvalidInput(fmt::format("{} distances do not fit {} classes", distances.size(), classes.size()));
  const auto broken = std::find_if(distances.begin(), distances.end(), [](double d) { return std::isnan(d); });
  if (broken != distances.end())
    throw InvalidInput(fmt::format("distance {} is not a number", broken - distances.begin()));
  if (neighbours < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours));
  const auto count = std::min(static_cast<std::size_t>(neighbours), distances.size());
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return distances[a] != distances[b] ? distances[a] < distances[b] : a < b; });
  std::vector<int> nearest(count);
  for (std::size_t k = 0; k < count; ++k) nearest[k] = classes[order[k]];
  return nearest;
}

std::vector<int> nearest_votes(std::span<const double> distances, std::span<const int> classes,
                               std::span<const Index> neighbours) {
  Index deepest = 1;
  for (const Index k : neighbours) {
    if (k < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", k));
    deepest = std::max(deepest, k);
  }
  const std::vector<int> nearest = nearest_classes(distances, classes, deepest);
  std::vector<int> result;
  for (const Index k : neighbours)
    result.push_back(most_votes(std::span(nearest).first(std::min(static_cast<std::size_t>(k), nearest.size()))));
  return result;
}

}  // namespace dsk
