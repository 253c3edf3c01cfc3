#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cluster/clusterer.hpp"

namespace dsk::detail {
namespace {

constexpr Index silhouette_samples = 1000;
constexpr Index most_chosen_on = 2000;
constexpr Index fewest_chosen_on = 8;

double average_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::vector<double> silhouettes(const Matrix& distances, std::span<const int> labels, Index clusters) {
  Eigen::VectorXd sizes = Eigen::VectorXd::Zero(clusters);
  for (const int label : labels) sizes[label] += 1;
  std::vector<double> values(labels.size(), 0);
  Eigen::VectorXd sums(clusters);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (sizes[labels[i]] < 2) continue;
    sums.setZero();
    for (std::size_t j = 0; j < labels.size(); ++j)
      sums[labels[j]] += distances(static_cast<Index>(i), static_cast<Index>(j));
    const double own = sums[labels[i]] / (sizes[labels[i]] - 1);
    double other = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < clusters; ++c)
      if (c != labels[i] && sizes[c] > 0) other = std::min(other, sums[c] / sizes[c]);
    const double larger = std::max(own, other);
    values[i] = std::isfinite(larger) && larger > 0 ? (other - own) / larger : 0;
  }
  return values;
}

SilhouetteSample::SilhouetteSample(const Clusterer& clusterer, Index size, std::uint64_t seed)
    : points(random_sample(size, silhouette_samples, seed)), distances(clusterer.distances(points)) {}

std::pair<std::vector<double>, std::vector<int>> SilhouetteSample::of(const Partition& partition) const {
  std::vector<int> labels;
  for (const Index i : points) labels.push_back(partition.labels[static_cast<std::size_t>(i)]);
  return {silhouettes(distances, labels, partition.clusters), labels};
}

Index choose_count(const SpdBatch& all, const ClusterOptions& options, Clustering& result) {
  if (all.size() < fewest_chosen_on) {
    result.notes.push_back(
        fmt::format("fewer than {} matrices are too few to choose a number of clusters", fewest_chosen_on));
    return 1;
  }
  if (all.size() > most_chosen_on)
    result.notes.push_back(fmt::format("the number of clusters was chosen on a sample of {} matrices", most_chosen_on));
  const SpdBatch x = all.select(random_sample(all.size(), most_chosen_on, options.seed));
  result.structure = test_structure(x, options);
  const Index most = std::min(options.most_clusters, x.size() / 2);
  const Clusterer clusterer(x, options, most);
  const SilhouetteSample sample(clusterer, x.size(), options.seed);
  double best = -std::numeric_limits<double>::infinity();
  Index chosen = 1;
  for (Index clusters = 2; clusters <= most; ++clusters) {
    report_stage(options, fmt::format("trying {} clusters", clusters));
    const Partition partition = clusterer.partition(clusters);
    ClusterCount count{.clusters = clusters, .inertia = partition.inertia};
    count.silhouette = average_of(sample.of(partition).first);
    const std::vector<double>& values = clusterer.eigenvalues();
    const auto next = static_cast<std::size_t>(clusters);
    if (next < values.size()) count.eigengap = values[next - 1] - values[next];
    const double score = options.method == ClusterMethod::spectral ? count.eigengap : count.silhouette;
    if (score > best) {
      best = score;
      chosen = clusters;
    }
    result.tried.push_back(count);
  }
  return result.structure->structured ? chosen : 1;
}

}  // namespace dsk::detail
