// Are there clusters, how many, and how well do they agree with labels?

#include <dsk/cluster.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <random>

#include "cluster/clusterer.hpp"
#include "machine/shuffle.hpp"

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

constexpr Index most_tested = 600;
constexpr Index most_components = 20;
constexpr int null_samples = 20;
constexpr int strength_splits = 2;
constexpr double deviations_needed = 3;
constexpr double ratio_needed = 1.1;     // noise that is not quite normal explains a few per cent more
constexpr double strength_needed = 0.8;  // the threshold of Tibshirani & Walther (2005)
constexpr int test_restarts = 3;

LloydOptions lloyd_options(Index clusters, std::uint64_t seed) {
  return {.clusters = clusters, .restarts = test_restarts, .max_iterations = 100, .tolerance = 1e-4, .seed = seed};
}

/// The share of the variance that is between clusters.
double explained(const Matrix& rows, Index clusters, std::uint64_t seed) {
  const double total = (rows.rowwise() - rows.colwise().mean()).squaredNorm();
  if (!(total > 0)) return 0;
  return 1 - best_partition(*row_space(rows, {.threads = 1}), lloyd_options(clusters, seed)).inertia / total;
}

double normal(std::mt19937_64& random) {
  return std::sqrt(-2 * std::log(1 - uniform(random))) * std::cos(2 * std::numbers::pi * uniform(random));
}

/// Independent normally distributed columns with the variances of those of `like`.
Matrix normal_rows(const Matrix& like, std::mt19937_64& random) {
  const Eigen::RowVectorXd deviations =
      (like.colwise().squaredNorm() / static_cast<double>(std::max<Index>(1, like.rows() - 1))).cwiseSqrt();
  Matrix rows(like.rows(), like.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index k = 0; k < rows.cols(); ++k) rows(i, k) = deviations[k] * normal(random);
  return rows;
}

Matrix rows_at(const Matrix& rows, std::span<const Index> indices) {
  Matrix some(static_cast<Index>(indices.size()), rows.cols());
  for (Index k = 0; k < some.rows(); ++k) some.row(k) = rows.row(indices[static_cast<std::size_t>(k)]);
  return some;
}

/// The smallest share, over the clusters of one half, of pairs that the clusters of the other half keep together.
double strength_of_half(const Matrix& known, const Matrix& tested, Index clusters, std::uint64_t seed) {
  const Partition from = best_partition(*row_space(known, {.threads = 1}), lloyd_options(clusters, seed));
  const auto space = row_space(tested, {.threads = 1});
  const Partition own = best_partition(*space, lloyd_options(clusters, seed));
  const std::vector<int> predicted = nearest_centres(space->costs(from.centres));
  double smallest = 1;
  for (int c = 0; c < static_cast<int>(own.clusters); ++c) {
    std::vector<double> counts(static_cast<std::size_t>(clusters), 0);
    double size = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i)
      if (own.labels[i] == c) {
        ++counts[static_cast<std::size_t>(predicted[i])];
        ++size;
      }
    if (size < 2) return 0;
    double together = 0;
    for (const double count : counts) together += count * (count - 1);
    smallest = std::min(smallest, together / (size * (size - 1)));
  }
  return smallest;
}

double prediction_strength(const Matrix& rows, Index clusters, std::uint64_t seed) {
  double sum = 0;
  std::vector<Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (int s = 0; s < strength_splits; ++s) {
    shuffle(order, random);
    const std::span<const Index> all(order);
    const Matrix one = rows_at(rows, all.first(order.size() / 2)), other = rows_at(rows, all.subspan(order.size() / 2));
    sum += strength_of_half(one, other, clusters, seed) + strength_of_half(other, one, clusters, seed);
  }
  return sum / (2 * strength_splits);
}

}  // namespace

Clustering::Structure test_structure(const SpdBatch& x, const ClusterOptions& options) {
  const std::vector<Index> sample = random_sample(x.size(), most_tested, options.seed);
  Clustering::Structure test;
  test.samples = static_cast<Index>(sample.size());
  const Matrix rows =
      principal_rows(flat_rows(x.select(sample), metric_of(options), options.zeta, options.pairs.threads),
                     std::min(most_components, test.samples - 1));
  std::mt19937_64 random(options.seed);
  std::vector<Matrix> null;
  null.reserve(null_samples);
  for (int r = 0; r < null_samples; ++r) null.push_back(normal_rows(rows, random));
  const Index most = std::min(options.most_clusters, test.samples / 4);
  for (Index clusters = 2; clusters <= most; ++clusters) {
    report_stage(options, "testing for clusters");
    const double found = explained(rows, clusters, options.seed);
    Eigen::VectorXd by_chance(null_samples);
    for (Index r = 0; r < null_samples; ++r)
      by_chance[r] = explained(null[static_cast<std::size_t>(r)], clusters, options.seed);
    const double mean = by_chance.mean(),
                 deviation = std::sqrt((by_chance.array() - mean).square().sum() / (null_samples - 1));
    const double strength = prediction_strength(rows, clusters, options.seed);
    test.clusters.push_back(clusters);
    test.explained.push_back(found);
    test.null_mean.push_back(mean);
    test.null_deviation.push_back(deviation);
    test.strength.push_back(strength);
    test.structured = test.structured || (found > mean + deviations_needed * deviation && found > ratio_needed * mean &&
                                          strength >= strength_needed);
  }
  return test;
}

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
        "choosing a number of clusters takes at least {} matrices: all are in one cluster", fewest_chosen_on));
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
    Clustering::Count count{.clusters = clusters, .inertia = partition.inertia};
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
