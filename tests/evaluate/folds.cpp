#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support/message.hpp"

namespace dsk::test {
namespace {

/// Classes of the given sizes, mixed.
Labels mixed_labels(const std::vector<Index>& sizes) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < sizes.size(); ++c)
    names.insert(names.end(), static_cast<std::size_t>(sizes[c]), "class " + std::to_string(c));
  std::shuffle(names.begin(), names.end(), std::mt19937(9));
  return Labels(names);
}

std::vector<Index> members_per_class(const Labels& labels, const std::vector<Index>& positions) {
  std::vector<Index> counts(labels.names().size());
  for (const Index i : positions) ++counts[static_cast<std::size_t>(labels[i])];
  return counts;
}

std::vector<Index> all_positions(const Labels& labels) {
  std::vector<Index> positions(static_cast<std::size_t>(labels.size()));
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<Index>(i);
  return positions;
}

/// What holds for any folds of any labels.
void check_folds(const Labels& labels, Index folds) {
  const std::vector<Index> everything = all_positions(labels), sizes = members_per_class(labels, everything);
  const std::vector<Split> splits = stratified_folds(labels, folds, 4);
  EXPECT_EQ(static_cast<Index>(splits.size()), std::min(folds, *std::max_element(sizes.begin(), sizes.end())));

  std::vector<int> times_tested(everything.size());
  std::vector<Index> fewest(sizes.size(), labels.size()), most(sizes.size());
  for (const Split& split : splits) {
    EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
    EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
    EXPECT_FALSE(split.test.empty());
    std::vector<Index> together;
    std::merge(split.train.begin(), split.train.end(), split.test.begin(), split.test.end(),
               std::back_inserter(together));
    EXPECT_EQ(together, everything) << "train and test share a position or miss one";
    for (const Index i : split.test) ++times_tested[static_cast<std::size_t>(i)];
    const std::vector<Index> tested = members_per_class(labels, split.test);
    const std::vector<Index> trained = members_per_class(labels, split.train);
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      EXPECT_GT(trained[c], 0) << "a training part lacks " << labels.names()[c];
      fewest[c] = std::min(fewest[c], tested[c]);
      most[c] = std::max(most[c], tested[c]);
    }
  }
  for (std::size_t c = 0; c < sizes.size(); ++c) EXPECT_LE(most[c] - fewest[c], 1) << labels.names()[c];
  for (const Index i : everything)
    EXPECT_EQ(times_tested[static_cast<std::size_t>(i)], sizes[static_cast<std::size_t>(labels[i])] > 1 ? 1 : 0);
}

TEST(StratifiedFolds, AreFoldsOfEveryClass) {
  for (const std::vector<Index>& sizes :
       {std::vector<Index>{10, 10}, {2, 2}, {2, 3, 4, 5}, {1, 7, 1, 3}, {100, 2, 2, 2, 2}, {1, 2}, {13}, {4, 4, 4, 4}})
    for (const Index folds : {2, 3, 5, 10, 1000}) {
      SCOPED_TRACE(testing::PrintToString(sizes) + " in " + std::to_string(folds));
      check_folds(mixed_labels(sizes), folds);
    }
}

TEST(StratifiedFolds, ClassesThatDoNotDivideEvenlyDoNotPileUpInOneFold) {
  std::size_t fewest = 1000, most = 0;
  for (const Split& split : stratified_folds(mixed_labels({6, 6, 6, 6, 6, 6, 6}), 5, 0)) {
    fewest = std::min(fewest, split.test.size());
    most = std::max(most, split.test.size());
  }
  EXPECT_LE(most - fewest, 1u);
}

TEST(StratifiedFolds, FollowTheSeed) {
  const Labels labels = mixed_labels({20, 20});
  std::set<std::vector<Index>> first_tests;
  for (const std::uint64_t seed : {0ull, 1ull, 2ull, 3ull, ~0ull}) {
    const auto once = stratified_folds(labels, 4, seed), again = stratified_folds(labels, 4, seed);
    for (std::size_t s = 0; s < once.size(); ++s) {
      EXPECT_EQ(once[s].train, again[s].train);
      EXPECT_EQ(once[s].test, again[s].test);
    }
    first_tests.insert(once[0].test);
  }
  EXPECT_EQ(first_tests.size(), 5u);
}

TEST(StratifiedFolds, AreTheSameOnEveryMachine) {
  const Labels labels(std::vector<long long>{1, 1, 1, 1, 2, 2, 2, 2});
  EXPECT_EQ(stratified_folds(labels, 2, 7)[0].test, (std::vector<Index>{0, 1, 5, 7}));
}

TEST(StratifiedFolds, IgnoreNamesThatDoNotOccur) {
  const Labels all = mixed_labels({6, 6, 1});
  std::vector<Index> of_two;
  for (Index i = 0; i < all.size(); ++i)
    if (all[i] != 0) of_two.push_back(i);
  EXPECT_EQ(stratified_folds(all.select(of_two), 3, 0).size(), 3u);
}

TEST(StratifiedFolds, RefuseBadInput) {
  const Labels labels = mixed_labels({5, 5});
  for (const Index folds : {1, 0, -7})
    EXPECT_EQ(message_of([&] { stratified_folds(labels, folds, 0); }),
              "cross-validation needs at least 2 folds, not " + std::to_string(folds));
  EXPECT_EQ(message_of([] {
              stratified_folds(mixed_labels({1, 1, 1}), 2, 0);
            }),
            "cross-validation needs a class with at least two matrices");
  EXPECT_EQ(message_of([] { stratified_folds(mixed_labels({}), 2, 0); }),
            "cross-validation needs a class with at least two matrices");
}

}  // namespace
}  // namespace dsk::test
