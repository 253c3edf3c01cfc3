#include <dsk/cluster.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cluster/made_clusters.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(ClusterLearning, DoesNotClaimToHelpWhereClustersArePerfect) {
  const Dataset data = separated({.classes = 2, .per_class = 40, .dim = 3});
  for (const ClusterMethod method : every_method) {
    const Clustering found = cluster(data, {.method = method, .clusters = 2, .restarts = 2, .learn = true});
    ASSERT_TRUE(found.learning);
    EXPECT_EQ(found.learning->plain_stability, 1) << name(method);
    EXPECT_FALSE(found.learning->adopted);
    EXPECT_FALSE(found.learned);
    EXPECT_SAYS(found.learning->outcome, "not used");
    EXPECT_EQ(found.scores->adjusted_rand, 1);
  }
}

TEST(ClusterLearning, SaysWhyNothingWasLearned) {
  const Dataset few = separated({.classes = 2, .per_class = 10});
  EXPECT_SAYS(cluster(few, {.clusters = 2, .learn = true}).learning->outcome, "too few to judge");
  const Dataset data = separated({.classes = 2, .per_class = 30});
  EXPECT_SAYS(cluster(data, {.clusters = 1, .learn = true}).learning->outcome, "one cluster");
}

TEST(ClusterLearning, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = 40, .dim = 4, .degrees = 12, .tau = 0.8, .seed = 2});
  const auto run = [&](int threads) {
    return cluster(data, {.clusters = 2, .restarts = 2, .learn = true, .pairs = {.threads = threads}});
  };
  const Clustering one = run(1), two = run(2);
  EXPECT_EQ(one.learning->learned_stability, two.learning->learned_stability);
  EXPECT_EQ(one.labels, two.labels);
}

TEST(ClusterLearning, WhatItAdoptsIsMoreStableAndUsedForNewMatrices) {
  // Two classes that differ in two of ten directions, the others being noise.
  const Dataset noise =
      wishart_classes({.classes = 2, .per_class = 100, .dim = 10, .degrees = 20, .tau = 0, .seed = 1});
  MatrixStack stack{noise.size(), 10, {}};
  for (Index i = 0; i < noise.size(); ++i)
    for (Index r = 0; r < 10; ++r)
      for (Index k = 0; k < 10; ++k) {
        const auto factor = [&](Index at) { return at < 2 && noise.labels()[i] == 1 ? 1.7 : 1.0; };
        stack.values.push_back(noise.matrices()[i](r, k) * factor(r) * factor(k));
      }
  const Dataset data(SpdBatch(std::move(stack)), noise.labels());
  const Clustering found = cluster(data, {.clusters = 2, .restarts = 3, .learn = true});
  const Clustering::Learning& learning = *found.learning;
  EXPECT_EQ(learning.adopted, found.learned.has_value());
  if (learning.adopted) {
    EXPECT_GT(learning.learned_stability, learning.plain_stability + 2 * learning.standard_error);
    EXPECT_GE(learning.rounds, 1);
  }
  EXPECT_EQ(assign(found, data.matrices()), found.labels);
}

}  // namespace
}  // namespace dsk::test
