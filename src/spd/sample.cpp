#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "machine/shuffle.hpp"

namespace dsk {
namespace {

void check_count(Index count) {
  if (count < 1) throw InvalidInput(fmt::format("a sample of {} must be of 1 or more", count));
}

std::vector<Index> first_positions(Index size) {
  std::vector<Index> positions(static_cast<std::size_t>(size));
  std::iota(positions.begin(), positions.end(), Index{0});
  return positions;
}

}  // namespace

std::vector<Index> random_sample(Index size, Index count, std::uint64_t seed) {
  check_count(count);
  std::vector<Index> positions = first_positions(size);
  if (count >= size) return positions;
  std::mt19937_64 random(seed);
  detail::shuffle(positions, random);
  positions.resize(static_cast<std::size_t>(count));
  std::sort(positions.begin(), positions.end());
  return positions;
}

std::vector<Index> balanced_sample(const Labels& labels, Index count, std::uint64_t seed) {
  check_count(count);
  if (count >= labels.size()) return first_positions(labels.size());
  std::vector<std::vector<Index>> members(labels.names().size());
  for (Index i = 0; i < labels.size(); ++i) members[static_cast<std::size_t>(labels[i])].push_back(i);
  std::mt19937_64 random(seed);
  for (auto& of_class : members) detail::shuffle(of_class, random);
  std::vector<Index> chosen;
  for (std::size_t turn = 0; static_cast<Index>(chosen.size()) < count; ++turn)
    for (const auto& of_class : members)
      if (turn < of_class.size() && static_cast<Index>(chosen.size()) < count) chosen.push_back(of_class[turn]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace dsk
