#include <dsk/cluster.hpp>
#include <dsk/files.hpp>

#include <gtest/gtest.h>

#include <fstream>

#include "cluster/made_clusters.hpp"
#include "files/scratch.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

using SavedClustering = Scratch;

void expect_same(const Clustering& loaded, const Clustering& found) {
  EXPECT_EQ(loaded.method, found.method);
  EXPECT_EQ(loaded.metric, found.metric);
  EXPECT_EQ(loaded.zeta, found.zeta);
  EXPECT_EQ(loaded.theta, found.theta);
  EXPECT_EQ(loaded.seed, found.seed);
  EXPECT_EQ(loaded.labels, found.labels);
  EXPECT_EQ(loaded.sizes, found.sizes);
  EXPECT_EQ(loaded.inertia, found.inertia);
  EXPECT_EQ(loaded.iterations, found.iterations);
  EXPECT_EQ(loaded.converged, found.converged);
  EXPECT_EQ(loaded.silhouette, found.silhouette);
  EXPECT_EQ(loaded.notes, found.notes);
  EXPECT_EQ(loaded.learned.has_value(), found.learned.has_value());
}

TEST_F(SavedClustering, AssignsNewMatricesAsBefore) {
  const Dataset data = separated({.classes = 3, .per_class = 20, .dim = 3}),
                fresh = separated({.classes = 3, .per_class = 9, .dim = 3, .seed = 5});
  const std::filesystem::path file = folder() / "clusters.dsk";
  for (const ClusterMethod method : {ClusterMethod::kmeans, ClusterMethod::kernel_kmeans})
    for (const Metric metric : {Metric::stein, Metric::powereuclidean}) {
      ClusterOptions options{.method = method, .clusters = 3, .metric = metric, .zeta = 0.3};
      options.seed = 0xfedcba9876543210U;
      const Clustering found = cluster(data, options);
      save(found, file);
      const Clustering loaded = load_clustering(file);
      expect_same(loaded, found);
      EXPECT_EQ(assign(loaded, fresh.matrices()), assign(found, fresh.matrices()));
      EXPECT_EQ(assign(loaded, data.matrices()), found.labels);
    }
}

TEST_F(SavedClustering, KeepsWhatWasLearned) {
  const Dataset data = in_two_directions();
  const std::filesystem::path file = folder() / "clusters.dsk";
  const Clustering found = cluster(data, {.method = ClusterMethod::kernel_kmeans, .clusters = 2, .learn = true});
  ASSERT_TRUE(found.learned.has_value());
  save(found, file);
  const Clustering loaded = load_clustering(file);
  expect_same(loaded, found);
  EXPECT_EQ(assign(loaded, data.matrices()), found.labels);
}

TEST_F(SavedClustering, OfAGraphHasLabelsAlone) {
  const Dataset data = separated({.classes = 2, .per_class = 20, .dim = 3});
  const std::filesystem::path file = folder() / "clusters.dsk";
  const Clustering found = cluster(data, {.method = ClusterMethod::spectral, .clusters = 2});
  save(found, file);
  const Clustering loaded = load_clustering(file);
  expect_same(loaded, found);
  EXPECT_SAYS(message_of([&] { assign(loaded, data.matrices()); }), "no centres");
}

TEST_F(SavedClustering, RefusesOtherFiles) {
  const Dataset data = separated({.classes = 2, .per_class = 8, .dim = 3});
  const std::filesystem::path file = folder() / "clusters.dsk", kernel = folder() / "kernel.dsk";
  const Clustering found = cluster(data, {.clusters = 2});
  EXPECT_SAYS(message_of([&] { save(found, folder() / "clusters.txt"); }), ".dsk");
  save(found, file);
  EXPECT_SAYS(message_of([&] { load_model(file); }), "clustering");
  save(LearnedKernel::plain(3, 1), kernel);
  EXPECT_SAYS(message_of([&] { load_clustering(kernel); }), "not clusters");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_SAYS(message_of([&] { load_clustering(file); }), "clusters.dsk");
  Clustering wrong = found;
  wrong.labels.front() = 2;
  save(wrong, file);
  EXPECT_SAYS(message_of([&] { load_clustering(file); }), "label 2 is not below the number of clusters, 2");
}

}  // namespace
}  // namespace dsk::test
