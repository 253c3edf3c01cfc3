#include <dsk/cluster.hpp>

#include <gtest/gtest.h>

#include <set>

#include "cluster/made_clusters.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(ClusterLimits, OneClusterHoldsAll) {
  const Dataset data = separated({.classes = 2, .per_class = 10});
  for (const ClusterMethod method : every_method) {
    const Clustering found = cluster(data, {.method = method, .clusters = 1});
    EXPECT_EQ(found.sizes, std::vector<Index>{20});
    EXPECT_FALSE(found.silhouette);
    EXPECT_EQ(found.scores->adjusted_rand, 0);
  }
}

TEST(ClusterLimits, AsManyClustersAsMatrices) {
  const Dataset data = separated({.classes = 2, .per_class = 6});
  for (const ClusterMethod method : every_method) {
    const Clustering found = cluster(data, {.method = method, .clusters = 12});
    EXPECT_EQ(std::set<int>(found.labels.begin(), found.labels.end()).size(), 12u) << name(method);
    EXPECT_NEAR(found.inertia, 0, 1e-12);
  }
}

TEST(ClusterLimits, NumbersOutOfRangeAreRefused) {
  const Dataset data = separated({.classes = 2, .per_class = 6});
  EXPECT_SAYS(message_of([&] { cluster(data, {.clusters = 13}); }),
              "clusters is 13, but must be from 1 to the number of matrices, 12");
  EXPECT_SAYS(message_of([&] { cluster(data, {.clusters = 0}); }), "clusters is 0");
  EXPECT_SAYS(message_of([&] { cluster(data, {.most_clusters = 1}); }), "most_clusters is 1");
  EXPECT_SAYS(message_of([&] { cluster(data, {.restarts = 0}); }), "restarts is 0");
  EXPECT_SAYS(message_of([&] { cluster(data, {.max_iterations = 0}); }), "max_iterations is 0");
  EXPECT_SAYS(message_of([&] { cluster(data, {.neighbours = -1}); }), "neighbours is -1");
  EXPECT_SAYS(message_of([&] { cluster(data, {.theta = 1.0}); }), "no effect on kmeans");
  EXPECT_SAYS(message_of([&] { cluster(data, {.method = ClusterMethod::spectral, .theta = -1.0}); }), "theta -1");
  EXPECT_SAYS(message_of([&] { cluster(data, {.metric = Metric::thompson}); }), "the metric thompson has no mean");
  EXPECT_SAYS(message_of([&] { cluster(data, {.method = ClusterMethod::kernel_kmeans, .metric = Metric::airm}); }),
              "metric airm makes no kernel");
  EXPECT_SAYS(message_of([&] { cluster(data, {.method = ClusterMethod::spectral, .metric = Metric::kullback}); }),
              "not symmetric");
  EXPECT_SAYS(message_of([&] { parse_cluster_method("dbscan"); }), "kmeans, kernel-kmeans, spectral");
}

TEST(ClusterLimits, OneMatrix) {
  const Dataset data(random_spd({.count = 1, .dim = 3}));
  for (const ClusterMethod method : every_method) {
    EXPECT_EQ(cluster(data, {.method = method, .clusters = 1}).labels, std::vector<int>{0});
    EXPECT_EQ(cluster(data, {.method = method}).labels, std::vector<int>{0});
    EXPECT_SAYS(message_of([&] { cluster(data, {.method = method, .clusters = 2}); }),
                "from 1 to the number of matrices, 1");
  }
}

TEST(ClusterLimits, IdenticalMatricesAreOneCluster) {
  const Dataset one(random_spd({.count = 1, .dim = 3}));
  const Dataset same = one.select(std::vector<Index>(12, 0));
  for (const ClusterMethod method : {ClusterMethod::kmeans, ClusterMethod::kernel_kmeans}) {
    const Clustering found = cluster(same, {.method = method, .clusters = 3});
    EXPECT_EQ(found.sizes, std::vector<Index>{12}) << name(method);
    ASSERT_EQ(found.notes.size(), 1u);
    EXPECT_SAYS(found.notes[0], "only 1 of 3 clusters");
  }
  for (const ClusterMethod method : every_method) EXPECT_EQ(cluster(same, {.method = method}).clusters(), 1);
}

TEST(ClusterLimits, TwoDistinctMatrices) {
  const Dataset two(random_spd({.count = 2, .dim = 3}));
  std::vector<Index> repeated(15, 0);
  repeated.resize(20, 1);
  for (const ClusterMethod method : every_method) {
    const Clustering found = cluster(two.select(repeated), {.method = method, .clusters = 2});
    EXPECT_EQ(found.sizes, (std::vector<Index>{15, 5})) << name(method);
  }
}

TEST(ClusterLimits, MatricesOfSizeOne) {
  const std::vector<double> values{1, 1.1, 0.9, 1.05, 100, 110, 90, 105};
  const Dataset data(SpdBatch(values, 8, 1));
  for (const ClusterMethod method : every_method) {
    const Clustering found = cluster(data, {.method = method, .clusters = 2, .neighbours = 3});
    EXPECT_EQ(found.labels, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1})) << name(method);
  }
}

TEST(ClusterLimits, FewIterationsAreReported) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = 100, .dim = 5, .degrees = 10, .tau = 0.1});
  const Clustering found = cluster(data, {.clusters = 8, .restarts = 1, .max_iterations = 1});
  EXPECT_FALSE(found.converged);
  EXPECT_SAYS(found.notes.at(0), "did not converge in 1 iteration");
}

}  // namespace
}  // namespace dsk::test
