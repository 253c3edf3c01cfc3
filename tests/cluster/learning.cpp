#include <dsk/cluster.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "cluster/clusterer.hpp"
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
  EXPECT_SAYS(cluster(few, {.clusters = 2, .learn = true}).learning->outcome, "matrices are too few");
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

TEST(ClusterLearning, IsAdoptedWhereClustersDifferInFewDirections) {
  const Dataset data = in_two_directions({.per_class = 100, .dim = 10, .degrees = 20});
  for (const ClusterMethod method : every_method) {
    SCOPED_TRACE(name(method));
    const ClusterOptions plain{.method = method, .clusters = 2, .restarts = 3, .summarise = false};
    ClusterOptions with = plain;
    with.learn = true;
    const Clustering found = cluster(data, with);
    const Clustering::Learning& learning = *found.learning;
    ASSERT_TRUE(learning.adopted) << learning.outcome;
    ASSERT_TRUE(found.learned);
    EXPECT_SAYS(learning.outcome, "the learned kernel is used");
    EXPECT_GT(learning.learned_stability, learning.plain_stability + std::max(0.02, 2 * learning.standard_error));
    EXPECT_GE(learning.rounds, 1);
    EXPECT_GT(found.scores->adjusted_rand, cluster(data, plain).scores->adjusted_rand);
    EXPECT_GT(found.scores->adjusted_rand, 0.9);
    if (method != ClusterMethod::spectral) {
      EXPECT_EQ(assign(found, data.matrices()), found.labels);
    }
  }
}

/// Whatever is learned from noise finds its own clusters again in the matrices that it was learned from.
TEST(ClusterLearning, IsNotAdoptedOnNoise) {
  struct Noise {
    Index count, dim, degrees;
  };
  for (const Noise& drawn : {Noise{100, 4, 12}, Noise{100, 8, 11}})
    for (const Index clusters : {2, 3})
      for (const std::uint64_t seed : {1U, 2U, 3U})
        for (const ClusterMethod method : every_method) {
          const Clustering found = cluster(
              noise_of(drawn.count, drawn.dim, drawn.degrees, seed),
              {.method = method, .clusters = clusters, .restarts = 2, .learn = true, .summarise = false, .seed = seed});
          EXPECT_FALSE(found.learning->adopted) << name(method) << ", d " << drawn.dim << ", " << clusters
                                                << " clusters, seed " << seed << ": " << found.learning->outcome;
          EXPECT_FALSE(found.learned);
        }
}

TEST(ClusterLearning, RefusesClustersThatHoldHardlyAnything) {
  const auto labels = [](std::initializer_list<int> sizes) {
    std::vector<int> result;
    int label = 0;
    for (const int size : sizes) result.insert(result.end(), static_cast<std::size_t>(size), label++);
    return result;
  };
  EXPECT_FALSE(detail::is_degenerate(labels({50, 50}), 2));
  EXPECT_TRUE(detail::is_degenerate(labels({100}), 2)) << "all in one cluster";
  EXPECT_TRUE(detail::is_degenerate(labels({50, 50}), 3)) << "an empty cluster";
  EXPECT_TRUE(detail::is_degenerate(labels({9, 1}), 2)) << "a single matrix";
  EXPECT_FALSE(detail::is_degenerate(labels({8, 2}), 2));
  // 200 matrices in 2 clusters: a tenth of 100.
  EXPECT_TRUE(detail::is_degenerate(labels({191, 9}), 2));
  EXPECT_FALSE(detail::is_degenerate(labels({190, 10}), 2));
}

TEST(ClusterLearning, RefusesKernelsThatAreNearlyEqualForAllPairs) {
  const SpdBatch x = noise_of(150, 4, 12, 1).matrices();
  EXPECT_FALSE(detail::is_constant(LearnedKernel::plain(4, 1), x, {}));
  EXPECT_TRUE(detail::is_constant(LearnedKernel::plain(4, 1e-6), x, {})) << "1 everywhere";
  EXPECT_TRUE(detail::is_constant(LearnedKernel::plain(4, 1e6), x, {})) << "0 everywhere";
  EigenvalueAdjustment flat = EigenvalueAdjustment::none(4);
  flat.alpha.setZero();
  EXPECT_TRUE(detail::is_constant(LearnedKernel(flat, 1), x, {})) << "all matrices are the identity matrix";
}

/// Two matrices far from all others are a cluster by themselves, from which nothing is learned.
TEST(ClusterLearning, DoesNotStartFromATrivialSolution) {
  const Dataset noise = noise_of(80, 3, 12, 1);
  MatrixStack stack{noise.size(), 3, {}};
  for (Index i = 0; i < noise.size(); ++i)
    for (Index r = 0; r < 3; ++r)
      for (Index k = 0; k < 3; ++k) stack.values.push_back(noise.matrices()[i](r, k) * (i < 2 ? 1e6 : 1.0));
  const Dataset data(SpdBatch(std::move(stack)));
  const Clustering found = cluster(data, {.clusters = 2, .restarts = 3, .learn = true});
  EXPECT_EQ(found.sizes, (std::vector<Index>{78, 2}));
  EXPECT_FALSE(found.learning->adopted) << found.learning->outcome;
}

}  // namespace
}  // namespace dsk::test
