#include <dsk/cluster.hpp>
#include <dsk/report.hpp>

#include <gtest/gtest.h>

#include "cluster/made_clusters.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(ClusteringPage, ShowsClustersTheirNumberAndTheLabels) {
  const Dataset data = separated({.classes = 3, .per_class = 20, .dim = 3});
  for (const ClusterMethod method : every_method) {
    const std::string page = clustering_page(cluster(data, {.method = method}), {.data = "three.npz"});
    for (const std::string text :
         {"60 matrices in 3 clusters", "adjusted Rand index with the labels 1.00", "Number of clusters",
          "There is structure: 3 clusters", "Agreement with the labels", "three.npz", "coloured by cluster"})
      EXPECT_SAYS(page, text);
    EXPECT_SAYS(
        page, method == ClusterMethod::spectral ? "The largest gap is chosen" : "Mean silhouette. It does not decide");
  }
}

TEST(ClusteringPage, LeavesOutWhatWasNotComputed) {
  const Dataset data(separated({.classes = 2, .per_class = 20, .dim = 2}).matrices());
  const std::string page = clustering_page(cluster(data, {.clusters = 2}));
  EXPECT_EQ(page.find("Number of clusters"), std::string::npos);
  EXPECT_EQ(page.find("Agreement with the labels"), std::string::npos);
  EXPECT_EQ(page.find("Learning without labels"), std::string::npos);
}

TEST(ClusteringPage, SaysThatNoiseHasNoClustersAndThatLearningDidNotHelp) {
  const Dataset noise(wishart_classes({.classes = 1, .per_class = 60, .dim = 3, .degrees = 20, .tau = 0}).matrices());
  const std::string page = clustering_page(cluster(noise, {.restarts = 2, .learn = true}));
  EXPECT_SAYS(page, "no clusters were found");
  EXPECT_SAYS(page, "There is no sign of structure");
  EXPECT_SAYS(page, "nothing was learned: there is only one cluster");
}

}  // namespace
}  // namespace dsk::test
