#include <dsk/cluster.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

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

/// The clusters of each matrix of `data`, found with the matrices in another order.
std::vector<int> labels_in_order(const Dataset& data, const ClusterOptions& options, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(data.size()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  const std::vector<int> found = cluster(data.select(order), options).labels;
  std::vector<int> labels(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) labels[static_cast<std::size_t>(order[k])] = found[k];
  return labels;
}

TEST(ClusterInvariance, OrderDoesNotMatterForTouchingClustersFromGivenCentres) {
  const Dataset data = touching();
  const std::vector<Index> centres{3, 70, 150};
  for (const Metric metric : all_metrics()) {
    if (!has_mean(metric)) continue;
    const ClusterOptions options{.clusters = 3, .metric = metric, .start = data.matrices().select(centres)};
    const std::vector<int> expected = cluster(data, options).labels;
    for (const std::uint64_t seed : {1U, 2U, 3U})
      EXPECT_EQ(labels_in_order(data, options, seed), expected) << name(metric) << ", order " << seed;
  }
}

/// Random starts are drawn by position. Of many starts the best are nearly equally good, but where there are no clear
/// clusters they need not be the same.
TEST(ClusterInvariance, OrderMattersLittleForTheInertiaOfTouchingClusters) {
  const Dataset data = touching();
  for (const ClusterMethod method : every_method) {
    const ClusterOptions options{.method = method, .clusters = 3, .restarts = 20, .summarise = false};
    const Clustering expected = cluster(data, options);
    EXPECT_LT(expected.scores->adjusted_rand, 0.9) << "they do not touch";
    for (const std::uint64_t seed : {1U, 2U, 3U})
      EXPECT_NEAR(cluster(reordered(data, seed), options).inertia, expected.inertia, 0.001 * expected.inertia)
          << name(method) << ", order " << seed;
  }
}

TEST(ClusterInvariance, OrderMattersLittleForOverlappingClusters) {
  const Dataset data = in_two_directions({.per_class = 100, .dim = 6, .degrees = 20});
  for (const ClusterMethod method : every_method) {
    const ClusterOptions options{.method = method, .clusters = 2, .summarise = false};
    const Clustering expected = cluster(data, options);
    EXPECT_LT(expected.scores->adjusted_rand, 1) << "they do not overlap";
    for (const std::uint64_t seed : {1U, 2U, 3U})
      EXPECT_GT(adjusted_rand_index(labels_in_order(data, options, seed), expected.labels), 0.9)
          << name(method) << ", order " << seed;
  }
}

TEST(ClusterInvariance, NewMatricesAreAssignedInAnyOrder) {
  const Dataset data = touching(), mixed = reordered(data, 4);
  for (const ClusterMethod method : {ClusterMethod::kmeans, ClusterMethod::kernel_kmeans}) {
    const Clustering found = cluster(data, {.method = method, .clusters = 5, .restarts = 1});
    const std::vector<int> all = assign(found, mixed.matrices());
    for (Index i = 0; i < mixed.size(); i += 7) {
      const std::vector<Index> one{i};
      EXPECT_EQ(assign(found, mixed.matrices().select(one)).front(), all[static_cast<std::size_t>(i)]);
    }
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
  const Dataset data = wishart_classes({.classes = 2, .per_class = 30, .dim = 3, .degrees = 12, .tau = 0.7});
  for (const ClusterMethod method : every_method)
    for (const bool learn : {false, true}) {
      ClusterOptions options{.method = method, .clusters = 2, .restarts = 2, .learn = learn};
      interrupt();
      EXPECT_THROW(cluster(data, options), Interrupted) << name(method);
      allow_computation();
      const std::vector<int> expected = cluster(data, options).labels;
      int stages = 0;
      options.on_stage = [&](std::string_view) { return ++stages < 0; };
      EXPECT_THROW(cluster(data, options), Cancelled) << name(method);
      EXPECT_EQ(stages, 1);
      options.on_stage = [&](std::string_view) { return ++stages > 0; };
      EXPECT_EQ(cluster(data, options).labels, expected) << name(method) << ", after it was stopped";
    }
  EXPECT_THROW(cluster(touching(), {.on_stage = [](std::string_view) { return false; }}), Cancelled);
}

}  // namespace
}  // namespace dsk::test
