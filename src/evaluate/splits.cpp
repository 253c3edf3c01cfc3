// How data are divided into training and test parts: folds, random halves, one left out, or as given.

#include <dsk/evaluate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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

namespace {

Index parse_count(std::string_view text, std::string_view whole) {
  Index count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > 100000)
    throw InvalidInput(fmt::format("protocol '{}' needs a number from 1 to 100000 after the colon", whole));
  return count;
}

/// Every matrix, or every group where there are groups, is scored once.
std::vector<Split> leave_one_out(const Dataset& data) {
  const bool grouped = data.has_groups();
  std::vector<std::vector<Index>> parts(grouped ? data.groups().names().size() : static_cast<std::size_t>(data.size()));
  for (Index i = 0; i < data.size(); ++i) parts[static_cast<std::size_t>(grouped ? data.groups()[i] : i)].push_back(i);
  std::erase_if(parts, [](const std::vector<Index>& part) { return part.empty(); });
  if (parts.size() < 2) throw InvalidInput("leave-one-out needs at least two matrices or groups");
  std::vector<Split> splits;
  for (const std::vector<Index>& part : parts) {
    Split split;
    split.test = part;
    for (Index i = 0, next = 0; i < data.size(); ++i) {
      if (next < static_cast<Index>(part.size()) && part[static_cast<std::size_t>(next)] == i)
        ++next;
      else
        split.train.push_back(i);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

void check_groups(const Dataset& data, const Split& split, std::size_t number) {
  std::vector<bool> learned(data.groups().names().size());
  for (const Index i : split.train) learned[static_cast<std::size_t>(data.groups()[i])] = true;
  for (const Index i : split.test) {
    const auto group = static_cast<std::size_t>(data.groups()[i]);
    if (learned[group])
      throw InvalidInput(
          fmt::format("group '{}' is in both parts of the split numbered {}; ignore the groups if that is intended",
                      data.groups().names()[group], number));
  }
}

std::vector<Split> given_splits(const Dataset& data, const std::vector<int>& parts) {
  if (static_cast<Index>(parts.size()) != data.size())
    throw InvalidInput(fmt::format("the given split has {} entries for {} matrices", parts.size(), data.size()));
  const int last = *std::max_element(parts.begin(), parts.end());
  if (last < 0) throw InvalidInput("the given split has no matrix to score");
  if (last >= data.size()) throw InvalidInput(fmt::format("the given split numbers splits up to {}", last));
  std::vector<Split> splits(static_cast<std::size_t>(last) + 1);
  for (std::size_t k = 0; k < splits.size(); ++k) {
    for (Index i = 0; i < data.size(); ++i)
      (parts[static_cast<std::size_t>(i)] == static_cast<int>(k) ? splits[k].test : splits[k].train).push_back(i);
    if (splits[k].test.empty()) throw InvalidInput(fmt::format("the split numbered {} has no matrix to score", k));
    if (splits[k].train.empty())
      throw InvalidInput(fmt::format("the split numbered {} has no matrix to learn from", k));
    if (data.has_groups()) check_groups(data, splits[k], k);
  }
  return splits;
}

/// Throws InvalidInput where the data set cannot be cut into so many folds.
std::vector<Split> all_folds(const Dataset& data, Index count, std::uint64_t seed) {
  std::vector<Split> splits = stratified_folds(data, count, seed);
  const auto most = static_cast<Index>(splits.size());
  if (most < count)
    throw InvalidInput(fmt::format("kfold:{} is not possible: there are {} {}; use kfold:{} or fewer folds", count,
                                   most,
                                   data.has_groups() ? "groups, which are kept together"
                                                     : "matrices in the largest class, each in a fold of its own",
                                   most));
  return splits;
}

}  // namespace

Protocol Protocol::given(const Labels& parts) {
  Protocol protocol{Kind::given, 0, {}};
  for (const int code : parts.codes()) {
    const std::string& name = parts.names()[static_cast<std::size_t>(code)];
    int part = name == "test" ? 0 : -1;
    if (name != "test" && name != "train") {
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), part);
      if (error != std::errc() || end != name.data() + name.size() || part < -1)
        throw InvalidInput(
            fmt::format("a given split says 'train' or 'test', or the number of the split that scores a matrix (-1: "
                        "none), not '{}'",
                        name));
    }
    protocol.parts.push_back(part);
  }
  return protocol;
}

Protocol Protocol::parse(std::string_view text) {
  if (text == "loo") return {Kind::loo, 0};
  if (text == "logo") return {Kind::logo, 0};
  if (text.starts_with("halves:")) return {Kind::halves, parse_count(text.substr(7), text)};
  if (text.starts_with("kfold:")) return {Kind::kfold, parse_count(text.substr(6), text)};
  throw InvalidInput(
      fmt::format("unknown protocol '{}'; use halves:N, kfold:N, loo or logo, where N is a number such as 20, or a "
                  "given split",
                  text));
}

std::string Protocol::text() const {
  if (kind == Kind::loo) return "loo";
  if (kind == Kind::logo) return "logo";
  if (kind == Kind::given) return "given";
  return fmt::format("{}:{}", kind == Kind::halves ? "halves" : "kfold", count);
}

std::vector<Split> make_splits(const Dataset& data, const Protocol& protocol, std::uint64_t seed) {
  if (protocol.kind == Protocol::Kind::logo && !data.has_groups())
    throw InvalidInput("leaving one group out needs a data set with groups");
  if (protocol.kind == Protocol::Kind::loo || protocol.kind == Protocol::Kind::logo) return leave_one_out(data);
  if (protocol.kind == Protocol::Kind::given) return given_splits(data, protocol.parts);
  if (protocol.kind == Protocol::Kind::kfold) return all_folds(data, protocol.count, seed);
  std::vector<Split> splits;
  for (Index k = 0; k < protocol.count; ++k)
    splits.push_back(stratified_folds(data, 2, seed * 1000003 + static_cast<std::uint64_t>(k))[0]);
  return splits;
}

}  // namespace dsk
