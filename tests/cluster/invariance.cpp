#include <dsk/cluster.hpp>

#include <gtest/gtest.h>

#include "cluster/made_clusters.hpp"
#include "support/made_classes.hpp"

namespace dsk::test {
namespace {

/// Clusters that touch, so that starts and rounding matter.
Dataset touching() {
  return wishart_classes({.classes = 3, .per_class = 60, .dim = 4, .degrees = 15, .tau = 0.7, .seed = 4});
}

TEST(ClusterInvariance, SameBitsForAnyNumberOfThreads) {
  const Dataset data =
      wishart_classes({.classes = 3, .per_class = 400, .dim = 4, .degrees = 15, .tau = 0.7, .seed = 4});
  for (const ClusterMethod method : every_method) {
    const Clustering one = cluster(data, {.method = method, .clusters = 5, .pairs = {.threads = 1}});
    const Clustering many = cluster(data, {.method = method, .clusters = 5, .pairs = {.threads = 3}});
    EXPECT_EQ(one.labels, many.labels) << name(method);
    EXPECT_EQ(one.inertia, many.inertia) << name(method);
    EXPECT_EQ(one.silhouette, many.silhouette) << name(method);
  }
}

TEST(ClusterInvariance, SameResultForTheSameSeed) {
  for (const ClusterMethod method : every_method) {
    const ClusterOptions options{.method = method, .clusters = 4, .restarts = 1, .seed = 7};
    EXPECT_EQ(cluster(touching(), options).labels, cluster(touching(), options).labels);
  }
}

TEST(ClusterInvariance, UnitsDoNotMatterWhereTheMetricHasNone) {
  for (const ClusterMethod method : every_method)
    for (const Metric metric : {Metric::stein, Metric::airm}) {
      if (metric == Metric::airm && method == ClusterMethod::kernel_kmeans) continue;
      const ClusterOptions options{.method = method, .clusters = 3, .metric = metric};
      const Clustering plain = cluster(touching(), options), scaled = cluster(times(touching(), 1e-12), options);
      EXPECT_EQ(plain.labels, scaled.labels) << name(method) << ' ' << name(metric);
    }
}

TEST(ClusterInvariance, OrderDoesNotMatterForSeparatedClusters) {
  const Dataset data = separated({.classes = 4, .per_class = 30, .dim = 3}), mixed = reordered(data, 5);
  for (const ClusterMethod method : every_method) {
    const ClusterOptions options{.method = method, .clusters = 4};
    EXPECT_EQ(adjusted_rand_index(cluster(mixed, options).labels, mixed.labels().codes()), 1);
    EXPECT_NEAR(cluster(mixed, options).inertia, cluster(data, options).inertia,
                1e-6 * (1e-3 + cluster(data, options).inertia));
  }
}

TEST(ClusterInvariance, MoreStartsAreNeverWorse) {
  for (const ClusterMethod method : every_method) {
    double previous = std::numeric_limits<double>::infinity();
    for (const int restarts : {1, 3, 10}) {
      const double inertia = cluster(touching(), {.method = method, .clusters = 6, .restarts = restarts}).inertia;
      EXPECT_LE(inertia, previous);
      previous = inertia;
    }
  }
}

TEST(ClusterInvariance, CanBeCancelledAndInterrupted) {
  EXPECT_THROW(cluster(touching(), {.on_stage = [](std::string_view) { return false; }}), Cancelled);
  interrupt();
  EXPECT_THROW(cluster(touching(), {.clusters = 3}), Interrupted);
  allow_computation();
}

}  // namespace
}  // namespace dsk::test
