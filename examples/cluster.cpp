// Clusters matrices without labels: how many clusters there are, which matrices are in which, and where new ones
// belong.
#include <dsk/dsk.hpp>

#include <cstdio>

int main() {
  const dsk::Dataset data =
      dsk::wishart_classes({.classes = 2, .per_class = 100, .dim = 4, .degrees = 80, .tau = 4, .seed = 1});

  const dsk::Clustering found = dsk::cluster(data, {.method = dsk::ClusterMethod::kmeans});
  std::printf("%d clusters, mean silhouette %.2f\n", static_cast<int>(found.clusters()), found.silhouette.value_or(0));
  std::printf("adjusted Rand index with the true classes %.2f\n", found.scores->adjusted_rand);

  const dsk::SpdBatch fresh =
      dsk::wishart_classes({.classes = 2, .per_class = 2, .dim = 4, .degrees = 80, .tau = 4, .seed = 2}).matrices();
  for (const int cluster : dsk::assign(found, fresh)) std::printf("%d ", cluster);
  std::printf("\n");

  dsk::report(found, "clusters.html", {.data = "generated Wishart matrices"});

  // Noise has no clusters, and none are claimed.
  const dsk::Dataset noise = dsk::wishart_classes({.classes = 1, .per_class = 300, .dim = 4, .degrees = 20, .seed = 3});
  const dsk::Clustering one = dsk::cluster(noise);
  std::printf("noise: %d cluster\n", static_cast<int>(one.clusters()));
  return found.clusters() == 2 && one.clusters() == 1 ? 0 : 1;
}
