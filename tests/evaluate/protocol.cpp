#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/message.hpp"

namespace dsk::test {
namespace {

/// Labels i % classes, groups as given.
Dataset made(Index count, Index classes, const std::vector<long long>& groups = {}) {
  std::vector<long long> labels;
  for (Index i = 0; i < count; ++i) labels.push_back(i % classes);
  return Dataset(random_spd({.count = count, .dim = 1}), Labels(labels),
                 groups.empty() ? std::nullopt : std::optional(Labels(groups)));
}

/// `count` groups of sizes 1, 2, ..., `largest`, 1, 2, ... with all classes in each that is large enough.
Dataset grouped(long long count, long long largest, Index classes) {
  std::vector<long long> groups;
  for (long long g = 0; g < count; ++g) groups.insert(groups.end(), static_cast<std::size_t>(1 + g % largest), g);
  return made(static_cast<Index>(groups.size()), classes, groups);
}

std::set<int> codes_at(const Labels& labels, const std::vector<Index>& positions) {
  std::set<int> result;
  for (const Index i : positions) result.insert(labels[i]);
  return result;
}

std::vector<Index> class_counts(const Dataset& data, const std::vector<Index>& positions) {
  std::vector<Index> counts(data.labels().names().size());
  for (const Index i : positions) ++counts[static_cast<std::size_t>(data.labels()[i])];
  return counts;
}

void expect_parts(const Dataset& data, const std::vector<Split>& splits) {
  for (const Split& split : splits) {
    EXPECT_FALSE(split.train.empty());
    EXPECT_FALSE(split.test.empty());
    std::vector<Index> together, all;
    std::merge(split.train.begin(), split.train.end(), split.test.begin(), split.test.end(),
               std::back_inserter(together));
    for (Index i = 0; i < data.size(); ++i) all.push_back(i);
    EXPECT_EQ(together, all);
    if (!data.has_groups()) continue;
    const std::set<int> train = codes_at(data.groups(), split.train), test = codes_at(data.groups(), split.test);
    std::vector<int> both;
    std::set_intersection(train.begin(), train.end(), test.begin(), test.end(), std::back_inserter(both));
    EXPECT_TRUE(both.empty()) << "group " << both.front() << " is on both sides";
  }
}

std::vector<int> times_tested(const Dataset& data, const std::vector<Split>& splits) {
  std::vector<int> times(static_cast<std::size_t>(data.size()));
  for (const Split& split : splits)
    for (const Index i : split.test) ++times[static_cast<std::size_t>(i)];
  return times;
}

bool same(const std::vector<Split>& a, const std::vector<Split>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Split& x, const Split& y) { return x.train == y.train && x.test == y.test; });
}

TEST(Protocol, TextIsReadAndWrittenAlike) {
  for (const std::string text : {"halves:20", "halves:1", "kfold:5", "kfold:100000", "loo"})
    EXPECT_EQ(Protocol::parse(text).text(), text);
  EXPECT_EQ(Protocol().text(), "halves:20");
  EXPECT_EQ(Protocol::parse("kfold:7").count, 7);
  EXPECT_EQ(Protocol::parse("kfold:7").kind, Protocol::Kind::kfold);
}

TEST(Protocol, BadTexts) {
  for (const std::string text : {"", "halves", "kfold", "Loo", "loo:3", "thirds:3", "halves 20"})
    EXPECT_EQ(message_of([&] { Protocol::parse(text); }),
              "unknown protocol '" + text +
                  "'; use halves:N, kfold:N, loo or logo, where N is a number such as 20, or a given split");
  for (const std::string text : {"halves:", "halves:0", "kfold:-2", "kfold:2.5", "kfold: 3", "kfold:3 ", "kfold:+3",
                                 "halves:100001", "halves:99999999999999999999", "kfold:five"})
    EXPECT_EQ(message_of([&] { Protocol::parse(text); }),
              "protocol '" + text + "' needs a number from 1 to 100000 after the colon");
}

TEST(MakeSplits, HalvesAreStratified) {
  for (const Index count : {20, 21, 23}) {
    const Dataset data = made(count, 3);
    const std::vector<Split> splits = make_splits(data, Protocol::parse("halves:9"), 3);
    ASSERT_EQ(splits.size(), 9u);
    expect_parts(data, splits);
    for (const Split& split : splits) {
      const std::vector<Index> train = class_counts(data, split.train), test = class_counts(data, split.test);
      for (std::size_t c = 0; c < 3; ++c) EXPECT_LE(std::abs(train[c] - test[c]), 1);
    }
    for (std::size_t k = 1; k < splits.size(); ++k) EXPECT_NE(splits[k].test, splits[0].test);
  }
}

TEST(MakeSplits, FoldsAndLeaveOneOutScoreEveryMatrixOnce) {
  const Dataset data = made(22, 3);
  for (const std::string protocol : {"kfold:2", "kfold:5", "loo"}) {
    const std::vector<Split> splits = make_splits(data, Protocol::parse(protocol), 1);
    EXPECT_EQ(splits.size(), protocol == "loo" ? 22u : protocol == "kfold:5" ? 5u : 2u);
    expect_parts(data, splits);
    EXPECT_EQ(times_tested(data, splits), std::vector<int>(22, 1));
  }
}

TEST(MakeSplits, FollowTheSeed) {
  for (const Dataset& data : {made(24, 2), grouped(12, 3, 2)})
    for (const std::string protocol : {"halves:4", "kfold:3"}) {
      const Protocol parsed = Protocol::parse(protocol);
      EXPECT_TRUE(same(make_splits(data, parsed, 5), make_splits(data, parsed, 5)));
      EXPECT_FALSE(same(make_splits(data, parsed, 5), make_splits(data, parsed, 6))) << protocol;
    }
  EXPECT_TRUE(
      same(make_splits(made(8, 2), Protocol::parse("loo"), 1), make_splits(made(8, 2), Protocol::parse("loo"), 2)));
}

TEST(MakeSplits, GroupsAreKeptTogether) {
  for (const long long count : {2, 3, 7, 30, 60})
    for (const long long largest : {1, 4})
      for (const std::string protocol : {"halves:6", "kfold:2", "kfold:5", "kfold:50", "loo"}) {
        // More folds than groups are refused.
        if ((protocol == "kfold:5" && count < 5) || (protocol == "kfold:50" && count < 50)) continue;
        const Dataset data = grouped(count, largest, 3);
        SCOPED_TRACE(protocol + " of " + std::to_string(count) + " groups of up to " + std::to_string(largest));
        const std::vector<Split> splits = make_splits(data, Protocol::parse(protocol), 2);
        expect_parts(data, splits);
        if (protocol == "halves:6") continue;
        EXPECT_EQ(times_tested(data, splits), std::vector<int>(static_cast<std::size_t>(data.size()), 1));
      }
}

TEST(MakeSplits, LeaveOneOutLeavesOutOneGroup) {
  const Dataset data = grouped(9, 4, 2);
  const std::vector<Split> splits = make_splits(data, Protocol::parse("loo"), 0);
  ASSERT_EQ(splits.size(), 9u);
  for (const Split& split : splits) EXPECT_EQ(codes_at(data.groups(), split.test).size(), 1u);
}

TEST(MakeSplits, ClassesOfGroupsAreDealtOutEvenly) {
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u, 4u}) {
    const Dataset mixed = grouped(60, 4, 3);
    for (const Split& split : make_splits(mixed, Protocol::parse("kfold:5"), seed))
      for (const Index count : class_counts(mixed, split.test)) EXPECT_LE(std::abs(count - 10), 3);
    for (const Split& split : make_splits(mixed, Protocol::parse("halves:5"), seed))
      for (const Index count : class_counts(mixed, split.test)) EXPECT_LE(std::abs(count - 25), 3);
  }
}

TEST(MakeSplits, FoldsOfGroupsWithOneClassEachAreAlikeInSize) {
  for (const long long groups_per_class : {2, 3, 5}) {
    std::vector<long long> groups;
    for (long long i = 0; i < 30 * groups_per_class; ++i) groups.push_back(i % (10 * groups_per_class));
    const Dataset data = made(static_cast<Index>(groups.size()), 10, groups);
    for (const Split& split : make_splits(data, Protocol::parse("kfold:5"), 3)) {
      EXPECT_NEAR(static_cast<double>(split.test.size()), 6.0 * static_cast<double>(groups_per_class), 6);
      for (const Index count : class_counts(data, split.test)) EXPECT_LE(count, 3 * ((groups_per_class + 4) / 5 + 1));
    }
  }
}

TEST(MakeSplits, TheLargestGroupIsNotAlwaysOnOneSide) {
  std::vector<long long> groups(10, 0);
  for (long long g = 1; g < 12; ++g) groups.insert(groups.end(), 2, g);
  const Dataset data = made(static_cast<Index>(groups.size()), 2, groups);
  int tested = 0;
  for (const Split& split : make_splits(data, Protocol::parse("halves:40"), 0))
    tested += codes_at(data.groups(), split.test).contains(0) ? 1 : 0;
  EXPECT_GT(tested, 8);
  EXPECT_LT(tested, 32);
}

TEST(MakeSplits, RefuseDataThatIsTooSmall) {
  const auto says = [](const Dataset& data, const std::string& protocol) {
    return message_of([&] { make_splits(data, Protocol::parse(protocol), 0); });
  };
  EXPECT_EQ(says(made(1, 1), "loo"), "leave-one-out needs at least two matrices or groups");
  EXPECT_EQ(says(made(4, 2, {3, 3, 3, 3}), "loo"), "leave-one-out needs at least two matrices or groups");
  for (const std::string protocol : {"halves:2", "kfold:3"}) {
    EXPECT_EQ(says(made(3, 3), protocol), "cross-validation needs a class with at least two matrices");
    EXPECT_EQ(
        says(made(4, 2, {3, 3, 3, 3}), protocol),
        "cross-validation keeps groups together and needs at least two of them, but the 4 matrices to train on are all "
        "in one group, '3'; use data with more groups, or ignore the groups");
    EXPECT_SAYS(says(Dataset(random_spd({.count = 4, .dim = 1})), protocol), "has no labels");
  }
  EXPECT_EQ(says(made(6, 2), "kfold:1"), "cross-validation needs at least 2 folds, not 1");
  EXPECT_EQ(says(made(6, 2, {1, 2, 3, 4, 5, 6}), "kfold:1"), "cross-validation needs at least 2 folds, not 1");
}

Labels named(const std::vector<std::string>& names) {
  return Labels(names);
}

TEST(GivenSplit, IsTakenAsItIs) {
  const Dataset data = made(6, 2);
  const auto one = make_splits(data, Protocol::given(named({"train", "test", "train", "train", "test", "train"})), 1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].train, (std::vector<Index>{0, 2, 3, 5}));
  EXPECT_EQ(one[0].test, (std::vector<Index>{1, 4}));
  const auto two = make_splits(data, Protocol::given(Labels(std::vector<long long>{-1, 1, 0, 0, 1, -1})), 7);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].test, (std::vector<Index>{2, 3}));
  EXPECT_EQ(two[0].train, (std::vector<Index>{0, 1, 4, 5}));
  EXPECT_EQ(two[1].test, (std::vector<Index>{1, 4}));
  EXPECT_EQ(two[1].train, (std::vector<Index>{0, 2, 3, 5}));
}

TEST(GivenSplit, RefusesWhatDoesNotFit) {
  const Dataset data = made(4, 2);
  const auto complaint = [](const Dataset& about, const std::vector<std::string>& parts) {
    return message_of([&] { make_splits(about, Protocol::given(named(parts)), 0); });
  };
  EXPECT_EQ(complaint(data, {"train", "test", "train"}), "the given split has 3 entries for 4 matrices");
  EXPECT_EQ(complaint(data, {"train", "train", "train", "train"}), "the given split has no matrix to score");
  EXPECT_EQ(complaint(data, {"test", "test", "test", "test"}), "the split numbered 0 has no matrix to learn from");
  EXPECT_EQ(complaint(data, {"0", "2", "-1", "-1"}), "the split numbered 1 has no matrix to score");
  EXPECT_EQ(complaint(data, {"0", "4000000", "-1", "-1"}), "the given split numbers splits up to 4000000");
  EXPECT_NE(complaint(data, {"0", "-2", "-1", "-1"}).find("not '-2'"), std::string::npos);
  EXPECT_NE(complaint(data, {"train", "Test", "train", "test"}).find("not 'Test'"), std::string::npos);
  EXPECT_EQ(complaint(made(4, 2, {7, 7, 8, 8}), {"train", "test", "train", "train"}),
            "group '7' is in both parts of the split numbered 0; ignore the groups if that is intended");
}

TEST(Protocols, RefuseMoreFoldsThanThereCanBe) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = 5, .dim = 2, .degrees = 9});
  EXPECT_EQ(make_splits(data, Protocol::parse("kfold:5"), 0).size(), 5u);
  EXPECT_SAYS(
      message_of([&] { make_splits(data, Protocol::parse("kfold:1000"), 0); }),
      "kfold:1000 is not possible: there are 5 matrices in the largest class, each in a fold of its own; use kfold:5");
  std::vector<std::string> groups;
  for (Index i = 0; i < data.size(); ++i) groups.push_back(std::to_string(i % 3));
  const Dataset grouped(data.matrices(), data.labels(), Labels(groups));
  EXPECT_SAYS(message_of([&] { make_splits(grouped, Protocol::parse("kfold:4"), 0); }),
              "there are 3 groups, which are kept together; use kfold:3");
}

}  // namespace
}  // namespace dsk::test
