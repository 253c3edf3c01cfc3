// How well clusters are apart and agree with labels, and the choice of their number.

#include <dsk/cluster.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "cluster/clusterer.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

struct Contingency {
  std::map<std::pair<int, int>, double> both;
  std::map<int, double> one, other;
  double all = 0;
};

Contingency counted(std::span<const int> one, std::span<const int> other) {
  if (one.size() != other.size())
    throw InvalidInput(fmt::format("{} and {} labels cannot be compared", one.size(), other.size()));
  Contingency counts;
  for (std::size_t i = 0; i < one.size(); ++i) {
    ++counts.both[{one[i], other[i]}];
    ++counts.one[one[i]];
    ++counts.other[other[i]];
  }
  counts.all = static_cast<double>(one.size());
  return counts;
}

double pairs_among(double count) {
  return count * (count - 1) / 2;
}

template <class Counts, class Term>
double sum_over(const Counts& counts, const Term& term) {
  double sum = 0;
  for (const auto& [key, count] : counts) sum += term(count);
  return sum;
}

}  // namespace

double adjusted_rand_index(std::span<const int> one, std::span<const int> other) {
  const Contingency counts = counted(one, other);
  const double together = sum_over(counts.both, pairs_among), first = sum_over(counts.one, pairs_among),
               second = sum_over(counts.other, pairs_among);
  const double expected = counts.all > 1 ? first * second / pairs_among(counts.all) : 0, most = (first + second) / 2;
  // Both are one cluster, or both are all alone.
  return most == expected ? 1 : (together - expected) / (most - expected);
}

double normalised_mutual_information(std::span<const int> one, std::span<const int> other) {
  const Contingency counts = counted(one, other);
  const auto entropy = [&](double count) { return -count / counts.all * std::log(count / counts.all); };
  const double first = sum_over(counts.one, entropy), second = sum_over(counts.other, entropy);
  if (first == 0 && second == 0) return 1;
  double mutual = 0;
  for (const auto& [labels, count] : counts.both)
    mutual += count / counts.all *
              std::log(count * counts.all / (counts.one.at(labels.first) * counts.other.at(labels.second)));
  return std::clamp(mutual / ((first + second) / 2), 0.0, 1.0);
}

}  // namespace dsk

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
  labels.reserve(points.size());
  for (const Index i : points) labels.push_back(partition.labels[static_cast<std::size_t>(i)]);
  return {silhouettes(distances, labels, partition.clusters), labels};
}

Index choose_count(const SpdBatch& all, const ClusterOptions& options, Clustering& result) {
  if (all.size() < fewest_chosen_on) {
    result.notes.push_back(fmt::format(
        "choosing the number of clusters needs at least {} matrices; all were put in one cluster", fewest_chosen_on));
    return 1;
  }
  if (all.size() > most_chosen_on)
    result.notes.push_back(fmt::format("the number of clusters was chosen on a sample of {} matrices", most_chosen_on));
  const SpdBatch x = all.select(random_sample(all.size(), most_chosen_on, options.seed));
  result.structure = test_structure(x, options);
  const Index most = std::min(options.most_clusters, x.size() / 2);
  const Clusterer clusterer(x, options, most);
  const SilhouetteSample sample(clusterer, x.size(), options.seed);
  double largest_gap = -std::numeric_limits<double>::infinity();
  Index at_largest_gap = 1;
  for (Index clusters = 2; clusters <= most; ++clusters) {
    report_stage(options, fmt::format("trying {} clusters", clusters));
    const Partition partition = clusterer.partition(clusters);
    Clustering::Count count{.clusters = clusters, .inertia = partition.inertia};
    count.silhouette = average_of(sample.of(partition).first);
    const std::vector<double>& values = clusterer.eigenvalues();
    const auto next = static_cast<std::size_t>(clusters);
    if (next < values.size()) count.eigengap = values[next - 1] - values[next];
    if (count.eigengap > largest_gap) {
      largest_gap = count.eigengap;
      at_largest_gap = clusters;
    }
    result.tried.push_back(count);
  }
  const bool by_gap = options.method == ClusterMethod::spectral && result.structure->structured();
  return by_gap ? at_largest_gap : result.structure->found;
}

}  // namespace dsk::detail
