#include <dsk/mean.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "metric/metric.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(GroupMeans, EqualSeparateMeans) {
  for (const Index count : {2, 7}) {
    const SpdBatch x = random_spd({.count = 150, .dim = 9, .condition = 100});
    std::vector<int> groups;
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(count));
    for (Index i = 0; i < x.size(); ++i) {
      groups.push_back(static_cast<int>(i * i % count));
      members[static_cast<std::size_t>(groups.back())].push_back(i);
    }
    for (std::size_t g = 0; g < members.size(); ++g)
      if (members[g].empty()) groups[g] = static_cast<int>(g);
    for (std::size_t g = 0; g < members.size(); ++g) members[g].clear();
    for (std::size_t i = 0; i < groups.size(); ++i)
      members[static_cast<std::size_t>(groups[i])].push_back(static_cast<Index>(i));
    for (const Metric metric : all_metrics())
      for (const int threads : {1, 2}) {
        if (!has_mean(metric)) continue;
        const std::vector<Mean> found = group_means(x, groups, count, {.metric = metric, .threads = threads});
        ASSERT_EQ(found.size(), members.size());
        for (std::size_t g = 0; g < members.size(); ++g)
          EXPECT_EQ(found[g].matrix, mean(x.select(members[g]), {.metric = metric}).matrix) << name(metric);
      }
  }
}

TEST(GroupMeans, RefuseBadInput) {
  const SpdBatch x = random_spd({.count = 3, .dim = 2});
  const auto says = [&](const std::vector<int>& groups, Index count, const MeanOptions& options = {}) {
    return message_of([&] { group_means(x, groups, count, options); });
  };
  EXPECT_THAT(says({0, 1}, 2), testing::HasSubstr("2 groups do not fit 3 matrices"));
  EXPECT_THAT(says({0, 1, 2}, 2), testing::AllOf(testing::HasSubstr("matrix 2 is 2"), testing::HasSubstr("0 to 1")));
  EXPECT_THAT(says({0, -1, 0}, 2), testing::HasSubstr("matrix 1 is -1"));
  EXPECT_THAT(says({0, 0, 0}, 2), testing::HasSubstr("group 1 has no matrix"));
  EXPECT_THAT(says({0, 0, 1}, 2, {.weights = {1, 1, 0}}),
              testing::HasSubstr("group 1 has no matrix of weight above 0"));
  EXPECT_THAT(says({0, 0, 0}, 0), testing::HasSubstr("count is 0"));
}

}  // namespace
}  // namespace dsk::test
