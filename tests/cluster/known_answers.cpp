#include <dsk/cluster.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "cluster/made_clusters.hpp"
#include "metric/metric.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(Cluster, FindsSeparatedClusters) {
  const Dataset data = separated({.classes = 4, .per_class = 40, .dim = 4});
  for (const ClusterMethod method : every_method) {
    const Clustering found = cluster(data, {.method = method, .clusters = 4});
    EXPECT_EQ(adjusted_rand_index(found.labels, data.labels().codes()), 1) << name(method);
    EXPECT_EQ(found.scores->adjusted_rand, 1);
    EXPECT_EQ(found.scores->mutual_information, 1);
    EXPECT_EQ(found.sizes, std::vector<Index>(4, 40));
    EXPECT_GT(*found.silhouette, 0.5) << name(method);
    EXPECT_TRUE(found.converged);
    EXPECT_TRUE(found.notes.empty());
  }
}

TEST(Cluster, FindsTheNumberOfSeparatedClusters) {
  for (const Index classes : {2, 3, 5}) {
    const Dataset data = separated({.classes = classes, .per_class = 40, .dim = 4});
    for (const ClusterMethod method : every_method) {
      const Clustering found = cluster(data, {.method = method});
      EXPECT_TRUE(found.structure->structured());
      EXPECT_EQ(found.clusters(), classes) << name(method);
      EXPECT_EQ(found.tried.size(), 9u);
    }
  }
}

/// Of few matrices, halves that were drawn without regard to clusters often lack one.
TEST(Cluster, FindsTheNumberOfSeparatedClustersInFewMatrices) {
  for (const Index classes : {2, 3, 4})
    for (const Index per_class : {8, 10})
      for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
        const Dataset data = separated({.classes = classes, .per_class = per_class, .dim = 4, .seed = seed});
        for (const ClusterMethod method : every_method) {
          const Clustering found =
              cluster(data, {.method = method, .neighbours = 4, .restarts = 3, .summarise = false, .seed = seed});
          EXPECT_EQ(found.clusters(), classes) << name(method) << ", " << per_class << " each, seed " << seed;
        }
      }
}

/// k-means into as many clusters explains nine tenths of a single normal cloud that is as narrow.
TEST(Cluster, FindsTheNumberOfClustersInARow) {
  for (const Index classes : {3, 4})
    for (const Index per_class : {10, 30})
      for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
        EXPECT_EQ(
            cluster(in_a_row(classes, per_class, seed), {.restarts = 3, .summarise = false, .seed = seed}).clusters(),
            classes)
            << per_class << " each, seed " << seed;
}

TEST(Cluster, FindsNoClustersInLittleNoise) {
  for (const Index dim : {1, 3, 8})
    for (const Index count : {12, 24, 40})
      for (std::uint64_t seed = 1; seed <= 6; ++seed)
        EXPECT_EQ(
            cluster(noise_of(count, dim, 20 * dim, seed), {.restarts = 3, .summarise = false, .seed = seed}).clusters(),
            1)
            << count << " matrices, d " << dim << ", seed " << seed;
}

/// The mean silhouette is largest for whole pairs.
TEST(Cluster, FindsTheNumberWhereSomeClustersAreNearerThanOthers) {
  for (const Index classes : {1, 2, 3, 4, 6})
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Dataset data = paired(classes, 30, seed);
      for (const ClusterMethod method : every_method) {
        const Clustering found = cluster(data, {.method = method, .restarts = 3, .seed = seed});
        EXPECT_EQ(found.clusters(), classes) << name(method) << ", seed " << seed;
        EXPECT_EQ(found.scores->adjusted_rand, 1) << classes << ' ' << name(method) << ", seed " << seed;
      }
    }
}

TEST(Cluster, FindsTheNumberForRandomCovariances) {
  for (const Index classes : {1, 2, 3, 4, 6})
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
      const Dataset data = mixed(classes, 40, seed);
      for (const ClusterMethod method : every_method)
        EXPECT_EQ(cluster(data, {.method = method, .restarts = 3, .seed = seed}).clusters(), classes)
            << name(method) << ", seed " << seed;
    }
}

/// Each test compares with what was found so far, and it is said with how much.
TEST(Cluster, TellsWhatTheNumberWasComparedWith) {
  const Clustering::Structure test = *cluster(paired(4, 30, 1)).structure;
  EXPECT_EQ(test.found, 4);
  EXPECT_EQ(test.clusters, (std::vector<Index>{2, 3, 4, 5, 6, 7, 8, 9, 10}));
  ASSERT_EQ(test.null_clusters.size(), 9u);
  EXPECT_EQ(test.null_clusters[0], 1);
  EXPECT_EQ(test.null_clusters[1], 2);
  for (std::size_t k = 3; k < 9; ++k) EXPECT_EQ(test.null_clusters[k], 4);
  for (std::size_t k = 3; k < 9; ++k)
    EXPECT_NEAR(test.explained[k], test.null_mean[k], 0.01) << test.clusters[k];  // four normal clouds, as they are
  EXPECT_GT(test.strength[2], 0.8);
}

TEST(Cluster, FindsNoClustersInNoiseByAnyMethod) {
  for (const Index dim : {1, 3, 8})
    for (const Index degrees : {dim + 3, 20 * dim})
      for (const std::uint64_t seed : {1U, 2U, 3U})
        for (const ClusterMethod method : every_method) {
          const Clustering found = cluster(noise_of(150, dim, degrees, seed),
                                           {.method = method, .restarts = 2, .summarise = false, .seed = seed});
          EXPECT_EQ(found.clusters(), 1) << name(method) << ", d " << dim << ", degrees " << degrees << ", seed "
                                         << seed;
          EXPECT_FALSE(found.structure->structured());
          EXPECT_EQ(found.structure->clusters.back(), 10);
        }
}

TEST(Cluster, FindsNoClustersAmongMatricesWithTheSameEigenvalues) {
  for (const Index dim : {2, 4, 8})
    EXPECT_EQ(cluster(Dataset(random_spd({.count = 200, .dim = dim, .seed = 3})), {.restarts = 2}).clusters(), 1)
        << dim;
}

TEST(Cluster, NumbersClustersBySize) {
  const Dataset data = separated({.classes = 3, .per_class = 30, .dim = 3});
  std::vector<Index> some;
  for (Index i = 0; i < 90; ++i)
    if (i < 10 || (i >= 30 && i < 50) || i >= 60) some.push_back(i);
  for (const ClusterMethod method : every_method) {
    const Clustering found = cluster(data.select(some), {.method = method, .clusters = 3});
    EXPECT_EQ(found.sizes, (std::vector<Index>{30, 20, 10})) << name(method);
    EXPECT_EQ(found.labels.front(), 2);
    EXPECT_EQ(found.labels.back(), 0);
  }
}

TEST(Cluster, AssignsNewMatricesToTheNearestCentre) {
  const Dataset data = separated({.classes = 3, .per_class = 40, .dim = 3});
  std::vector<Index> known, fresh;
  for (Index i = 0; i < data.size(); ++i) (i % 2 == 0 ? known : fresh).push_back(i);
  for (const ClusterMethod method : {ClusterMethod::kmeans, ClusterMethod::kernel_kmeans}) {
    const Clustering found = cluster(data.select(known), {.method = method, .clusters = 3});
    EXPECT_EQ(assign(found, data.select(known).matrices()), found.labels);
    const std::vector<int> assigned = assign(found, data.select(fresh).matrices());
    EXPECT_EQ(adjusted_rand_index(assigned, data.select(fresh).labels().codes()), 1) << name(method);
  }
  const Clustering spectral = cluster(data, {.method = ClusterMethod::spectral, .clusters = 3});
  EXPECT_SAYS(message_of([&] { assign(spectral, data.matrices()); }), "no centres");
}

TEST(Cluster, CentresAreTheMeansOfTheClusters) {
  const Dataset data = separated({.classes = 2, .per_class = 20, .dim = 3});
  for (const Metric metric : all_metrics()) {
    if (!has_mean(metric)) continue;
    const Clustering found = cluster(data, {.clusters = 2, .metric = metric});
    const std::vector<Mean> means = group_means(data.matrices(), found.labels, 2, {.metric = metric});
    for (Index c = 0; c < 2; ++c) {
      const Matrix expected = means[static_cast<std::size_t>(c)].matrix;
      EXPECT_LT(((*found.centres)[c] - expected).norm(), 1e-8 * expected.norm()) << name(metric);
    }
  }
}

TEST(Cluster, StartsFromGivenCentres) {
  const Dataset data = separated({.classes = 2, .per_class = 20, .dim = 3});
  const std::vector<Index> same{0, 1};
  const Clustering found = cluster(data, {.clusters = 2, .start = data.matrices().select(same)});
  EXPECT_EQ(found.scores->adjusted_rand, 1);
  EXPECT_SAYS(message_of([&] { cluster(data, {.clusters = 3, .start = data.matrices().select(same)}); }),
              "2 starting centres");
}

}  // namespace
}  // namespace dsk::test
