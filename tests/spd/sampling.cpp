#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "spd/spd.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

std::vector<Index> sizes_of(const Labels& labels, const std::vector<Index>& chosen) {
  std::vector<Index> sizes(labels.names().size());
  for (const Index i : chosen) ++sizes[static_cast<std::size_t>(labels[i])];
  return sizes;
}

bool ascends(const std::vector<Index>& positions) {
  return std::is_sorted(positions.begin(), positions.end()) &&
         std::adjacent_find(positions.begin(), positions.end()) == positions.end();
}

TEST(Sample, IsSortedWithoutRepeats) {
  for (const Index count : {1, 7, 99, 100, 500}) {
    const std::vector<Index> found = random_sample(100, count, 5);
    EXPECT_EQ(static_cast<Index>(found.size()), std::min<Index>(count, 100));
    EXPECT_TRUE(ascends(found));
    EXPECT_EQ(found, random_sample(100, count, 5));
  }
  EXPECT_NE(random_sample(100, 10, 5), random_sample(100, 10, 6));
}

TEST(Sample, BalancesClassesAsFarAsPossible) {
  std::vector<long long> codes(3, 0);
  codes.insert(codes.end(), 50, 1);
  codes.insert(codes.end(), 40, 2);
  const Labels labels(codes);
  const std::vector<Index> found = balanced_sample(labels, 23, 1);
  EXPECT_TRUE(ascends(found));
  EXPECT_EQ(sizes_of(labels, found), (std::vector<Index>{3, 10, 10}));
  EXPECT_EQ(sizes_of(labels, balanced_sample(labels, 2, 1)), (std::vector<Index>{1, 1, 0}));
  EXPECT_EQ(sizes_of(labels, balanced_sample(labels, 93, 1)), (std::vector<Index>{3, 50, 40}));
  EXPECT_EQ(found, balanced_sample(labels, 23, 1));
  EXPECT_NE(found, balanced_sample(labels, 23, 2));
}

TEST(Sample, RejectsASizeBelowOne) {
  EXPECT_EQ(message_of([] { random_sample(5, 0, 0); }), "sample size is 0, but must be at least 1");
  EXPECT_EQ(message_of([] { balanced_sample(Labels(std::vector<long long>{1}), 0, 0); }),
            "sample size is 0, but must be at least 1");
}

}  // namespace
}  // namespace dsk::test
