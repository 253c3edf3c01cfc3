#include <dsk/evaluate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "machine/shuffle.hpp"

namespace dsk {
namespace {

std::vector<Split> splits_by_fold(const std::vector<std::size_t>& fold, std::size_t count) {
  std::vector<Split> splits(count);
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t i = 0; i < fold.size(); ++i)
      (fold[i] == s ? splits[s].test : splits[s].train).push_back(static_cast<Index>(i));
  return splits;
}

/// Members of each group, and how many of each class among them.
struct Group {
  std::vector<Index> members;
  std::vector<double> class_counts;
};

std::vector<Group> groups_of(const Dataset& data) {
  std::vector<Group> groups(data.groups().names().size());
  for (Group& group : groups) group.class_counts.resize(data.labels().names().size());
  for (Index i = 0; i < data.size(); ++i) {
    Group& group = groups[static_cast<std::size_t>(data.groups()[i])];
    group.members.push_back(i);
    ++group.class_counts[static_cast<std::size_t>(data.labels()[i])];
  }
  std::erase_if(groups, [](const Group& group) { return group.members.empty(); });
  return groups;
}

/// How uneven the classes would be dealt out if the group joined a fold with these counts, and for equally uneven ones
/// how large the fold is.
std::pair<double, double> crowding(const std::vector<double>& fold, const Group& group,
                                   const std::vector<double>& totals) {
  double sum = 0;
  for (std::size_t c = 0; c < totals.size(); ++c)
    if (totals[c] > 0) sum += (2 * fold[c] + group.class_counts[c]) * group.class_counts[c] / totals[c];
  return {sum, std::accumulate(fold.begin(), fold.end(), 0.0)};
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
    detail::shuffle(of_class, random);
    for (const Index i : of_class) fold[static_cast<std::size_t>(i)] = next++ % count;
  }
  return splits_by_fold(fold, count);
}

std::vector<Split> stratified_folds(const Dataset& data, Index folds, std::uint64_t seed) {
  if (!data.has_groups()) return stratified_folds(data.labels(), folds, seed);
  if (folds < 2) throw InvalidInput(fmt::format("cross-validation needs at least 2 folds, not {}", folds));
  std::vector<Group> groups = groups_of(data);
  if (groups.size() < 2)
    throw InvalidInput(
        fmt::format("cross-validation keeps groups together and needs at least two of them, but the {} matrices to "
                    "train on are all in one group, '{}'; use data with more groups, or ignore the groups",
                    data.size(), data.groups().names()[static_cast<std::size_t>(data.groups()[0])]));
  std::mt19937_64 random(seed);
  detail::shuffle(groups, random);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.members.size() > b.members.size(); });
  std::vector<double> totals(data.labels().names().size());
  for (const Group& group : groups)
    std::transform(totals.begin(), totals.end(), group.class_counts.begin(), totals.begin(), std::plus<>());

  const std::size_t count = std::min(static_cast<std::size_t>(folds), groups.size());
  std::vector<std::vector<double>> counts(count, std::vector<double>(totals.size()));
  std::vector<std::size_t> fold(static_cast<std::size_t>(data.size()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    // The first groups go one to a fold, so that none stays empty.
    std::size_t best = std::min(g, count - 1);
    if (g >= count)
      for (std::size_t f = 0; f < count; ++f)
        if (crowding(counts[f], groups[g], totals) < crowding(counts[best], groups[g], totals)) best = f;
    std::transform(counts[best].begin(), counts[best].end(), groups[g].class_counts.begin(), counts[best].begin(),
                   std::plus<>());
    for (const Index i : groups[g].members) fold[static_cast<std::size_t>(i)] = best;
  }
  // Folds in random order: otherwise the largest group would always be in the first.
  std::vector<Split> splits = splits_by_fold(fold, count);
  detail::shuffle(splits, random);
  return splits;
}

}  // namespace dsk
