#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "classify/classify.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

/// Whether a is nearer than b; ties go to the lower index.
bool is_nearer(const std::vector<double>& distances, std::size_t a, std::size_t b) {
  return distances[a] < distances[b] || (distances[a] == distances[b] && a < b);
}

std::size_t count_nearer(const std::vector<double>& distances, std::size_t than) {
  std::size_t count = 0;
  for (std::size_t other = 0; other < distances.size(); ++other) count += is_nearer(distances, other, than) ? 1u : 0u;
  return count;
}

/// Without sorting: a point votes if fewer than k others are nearer.
int vote_oracle(const std::vector<double>& distances, const std::vector<int>& classes, Index k) {
  std::vector<std::size_t> voters;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (count_nearer(distances, i) < static_cast<std::size_t>(k)) voters.push_back(i);
  const auto votes_for = [&](int c) {
    return std::count_if(voters.begin(), voters.end(), [&](std::size_t i) { return classes[i] == c; });
  };
  std::size_t best = voters.front();
  for (const std::size_t i : voters) {
    const auto mine = votes_for(classes[i]), leading = votes_for(classes[best]);
    if (mine > leading || (mine == leading && is_nearer(distances, i, best))) best = i;
  }
  return classes[best];
}

TEST(NearestVotes, AgreeWithCountingWhenDistancesAndVotesTie) {
  std::mt19937 random(1);
  const std::vector<Index> neighbours{7, 1, 2, 3, 4, 5, 40, 6, 12};
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t size = 1 + random() % 20, levels = 1 + random() % 8, class_count = 1 + random() % 5;
    std::vector<double> distances(size);
    std::vector<int> classes(size);
    for (double& distance : distances) distance = 0.25 * static_cast<double>(random() % levels);
    for (int& c : classes) c = static_cast<int>(random() % class_count) * 1000 - 700;
    const std::vector<int> votes = nearest_votes(distances, classes, neighbours);
    ASSERT_EQ(votes.size(), neighbours.size());
    for (std::size_t s = 0; s < neighbours.size(); ++s)
      ASSERT_EQ(votes[s], vote_oracle(distances, classes, neighbours[s]))
          << "trial " << trial << ", k = " << neighbours[s];
  }
}

TEST(NearestVotes, TiedClassesGoToTheNearest) {
  const std::vector<double> distances{5, 4, 3, 2, 1};
  const std::vector<int> classes{1, 1, 2, 2, 9};
  EXPECT_EQ(nearest_votes(distances, classes, std::vector<Index>{1, 2, 3, 4, 5}), (std::vector<int>{9, 9, 2, 2, 2}));
}

TEST(NearestVotes, TiedDistancesGoToTheFirst) {
  const std::vector<double> distances{0.0, -0.0, 0.0};
  EXPECT_EQ(nearest_votes(distances, std::vector<int>{3, 2, 1}, std::vector<Index>{1, 2, 3}),
            (std::vector<int>{3, 3, 3}));
}

TEST(NearestVotes, TooManyNeighboursMeanAll) {
  const std::vector<double> distances{1, 2, 3};
  const std::vector<int> classes{1, 2, 2};
  EXPECT_EQ(nearest_votes(distances, classes, std::vector<Index>{3, 4, std::numeric_limits<Index>::max()}),
            (std::vector<int>{2, 2, 2}));
}

TEST(NearestClasses, AreSortedByDistance) {
  const std::vector<double> distances{5, 1, 3, 1, 4};
  const std::vector<int> classes{50, 10, 30, 11, 40};
  EXPECT_EQ(nearest_classes(distances, classes, 4), (std::vector<int>{10, 11, 30, 40}));
  EXPECT_EQ(nearest_classes(distances, classes, 9), (std::vector<int>{10, 11, 30, 40, 50}));
  EXPECT_EQ(message_of([&] { nearest_classes(distances, classes, 0); }), "neighbours 0 must be 1 or more");
  EXPECT_EQ(most_votes(std::vector<int>{3, 1, 1, 3, 2}), 3);
  EXPECT_EQ(message_of([] { most_votes({}); }), "no neighbours to vote");
}

TEST(NearestVotes, InfiniteDistancesAreFarthest) {
  const std::vector<double> distances{std::numeric_limits<double>::infinity(), 1e308};
  EXPECT_EQ(nearest_votes(distances, std::vector<int>{1, 2}, std::vector<Index>{1}), std::vector<int>{2});
}

TEST(NearestVotes, RefusesBadInput) {
  const std::vector<double> distances{1, 2}, invalid{1, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<int> classes{1, 2};
  const auto says = [&](const std::vector<double>& d, const std::vector<int>& c, const std::vector<Index>& k) {
    return message_of([&] { nearest_votes(d, c, k); });
  };
  EXPECT_EQ(says({}, {}, {1}), "there are no distances to compare");
  EXPECT_EQ(says(distances, {1}, {1}), "2 distances do not match 1 classes");
  EXPECT_EQ(says(distances, classes, {1, 0}), "neighbours 0 must be 1 or more");
  EXPECT_EQ(says(distances, classes, {-3}), "neighbours -3 must be 1 or more");
  EXPECT_EQ(says(invalid, classes, {1}), "distance 1 is not a number");
}

Labels labels_of(std::vector<long long> values) {
  return Labels(std::span<const long long>(values));
}

TEST(LeaveOneOut, CountsNearestNeighboursOfTheSameClass) {
  Matrix distances(4, 4);
  distances << 0, 1, 5, 6,  //
      1, 0, 4, 7,           //
      5, 4, 0, 9,           //
      6, 7, 9, 0;
  EXPECT_EQ(leave_one_out_accuracy(distances, labels_of({1, 1, 1, 1})), 1);
  EXPECT_EQ(leave_one_out_accuracy(distances, labels_of({1, 1, 2, 2})), 0.5);
  EXPECT_EQ(leave_one_out_accuracy(distances, labels_of({1, 2, 3, 4})), 0);
}

TEST(LeaveOneOut, NeverTakesAMatrixForItsOwnNeighbour) {
  EXPECT_EQ(leave_one_out_accuracy(Matrix::Zero(2, 2), labels_of({1, 2})), 0);
}

TEST(LeaveOneOut, RefusesSizesThatDiffer) {
  const auto says = [](Index rows, Index columns, const std::vector<long long>& labels) {
    return message_of([&] { leave_one_out_accuracy(Matrix::Zero(rows, columns), labels_of(labels)); });
  };
  const std::string needs =
      "leave-one-out needs a square matrix of distances between 2 or more points and one label per point; got ";
  EXPECT_EQ(says(1, 1, {1}), needs + "1 x 1 distances and 1 labels");
  EXPECT_EQ(says(2, 3, {1, 2}), needs + "2 x 3 distances and 2 labels");
  EXPECT_EQ(says(2, 2, {1, 2, 3}), needs + "2 x 2 distances and 3 labels");
}

}  // namespace
}  // namespace dsk::test
