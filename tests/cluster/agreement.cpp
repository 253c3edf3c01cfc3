#include <dsk/cluster.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "support/message.hpp"

namespace dsk::test {
namespace {

/// Over all pairs of points, as the index is defined.
long double rand_oracle(const std::vector<int>& one, const std::vector<int>& other) {
  long double both = 0, first = 0, second = 0, pairs = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool a = one[i] == one[j], b = other[i] == other[j];
      both += a && b;
      first += a;
      second += b;
      pairs += 1;
    }
  const long double expected = first * second / pairs;
  return (both - expected) / ((first + second) / 2 - expected);
}

long double entropy(const std::vector<std::vector<int>>& keys) {
  long double sum = 0;
  for (const auto& key : keys) {
    long double count = 0;
    for (const auto& other : keys) count += key == other;
    sum -= std::log(count / static_cast<long double>(keys.size())) / static_cast<long double>(keys.size());
  }
  return sum;
}

/// From the entropies of both and of the pair.
long double information_oracle(const std::vector<int>& one, const std::vector<int>& other) {
  std::vector<std::vector<int>> first, second, both;
  for (std::size_t i = 0; i < one.size(); ++i) {
    first.push_back({one[i]});
    second.push_back({other[i]});
    both.push_back({one[i], other[i]});
  }
  const long double h1 = entropy(first), h2 = entropy(second);
  return 2 * (h1 + h2 - entropy(both)) / (h1 + h2);
}

TEST(Agreement, IsThatOfTheDefinitions) {
  const std::vector<int> one{0, 0, 0, 1, 1, 2, 2, 2, 2, 3}, other{5, 5, 1, 1, 1, 2, 2, 5, 2, 2};
  EXPECT_NEAR(adjusted_rand_index(one, other), static_cast<double>(rand_oracle(one, other)), 1e-14);
  EXPECT_NEAR(normalised_mutual_information(one, other), static_cast<double>(information_oracle(one, other)), 1e-14);
  EXPECT_EQ(adjusted_rand_index(one, other), adjusted_rand_index(other, one));
}

TEST(Agreement, NamesOfClustersDoNotMatter) {
  const std::vector<int> one{0, 0, 1, 1, 2, 2}, renamed{9, 9, 4, 4, 0, 0};
  EXPECT_EQ(adjusted_rand_index(one, renamed), 1);
  EXPECT_NEAR(normalised_mutual_information(one, renamed), 1, 1e-15);
}

TEST(Agreement, OfOneClusterWithItselfIsPerfect) {
  const std::vector<int> all(5, 0), alone{0, 1, 2, 3, 4};
  EXPECT_EQ(adjusted_rand_index(all, all), 1);
  EXPECT_EQ(normalised_mutual_information(all, all), 1);
  EXPECT_EQ(adjusted_rand_index(alone, alone), 1);
  EXPECT_EQ(adjusted_rand_index(all, alone), 0);
  EXPECT_EQ(normalised_mutual_information(all, alone), 0);
}

TEST(Agreement, NeedsOneLabelEach) {
  const std::vector<int> one{0, 1}, other{0};
  EXPECT_SAYS(message_of([&] { adjusted_rand_index(one, other); }), "2 and 1 labels");
}

}  // namespace
}  // namespace dsk::test
