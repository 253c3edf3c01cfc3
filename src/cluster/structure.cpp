// Are there clusters, and how many? k-means is compared with k-means on normally distributed points.

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "cluster/clusterer.hpp"
#include "machine/shuffle.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

constexpr Index most_tested = 600;
constexpr Index most_components = 20;
constexpr int null_samples = 20;
constexpr int strength_splits = 2;
constexpr double deviations_needed = 3;
constexpr double ratio_needed = 1.1;  // noise that is not quite normal explains a few per cent more
constexpr double remainder_ratio_needed = 2;
constexpr double strength_needed = 0.8;  // the threshold of Tibshirani & Walther (2005)
constexpr double least_left = 1e-12;     // of the variance; less is rounding
constexpr int test_restarts = 3;

Partition tested_partition(const Matrix& rows, Index clusters, std::uint64_t seed) {
  return best_partition(
      *row_space(rows, {.threads = 1}),
      {.clusters = clusters, .restarts = test_restarts, .max_iterations = 100, .tolerance = 1e-4, .seed = seed});
}

Matrix rows_at(const Matrix& rows, std::span<const Index> indices) {
  Matrix some(static_cast<Index>(indices.size()), rows.cols());
  for (Index k = 0; k < some.rows(); ++k) some.row(k) = rows.row(indices[static_cast<std::size_t>(k)]);
  return some;
}

double normal(std::mt19937_64& random) {
  return std::sqrt(-2 * std::log(1 - uniform(random))) * std::cos(2 * std::numbers::pi * uniform(random));
}

/// Normally distributed points with the mean and the covariance of some rows.
class NormalCloud {
 public:
  explicit NormalCloud(const Matrix& rows) : mean_(rows.colwise().mean()) {
    const Matrix centred = rows.rowwise() - mean_;
    const auto freedom = static_cast<double>(std::max<Index>(1, rows.rows() - 1));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        Eigen::MatrixXd(centred.transpose() * centred / freedom));
    factor_ = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  }

  Eigen::RowVectorXd draw(std::mt19937_64& random) const {
    Eigen::VectorXd values(factor_.cols());
    for (double& value : values) value = normal(random);
    return mean_ + (factor_ * values).transpose();
  }

 private:
  Eigen::RowVectorXd mean_;
  Eigen::MatrixXd factor_;
};

/// What the data would be if the clusters of a partition were all there is: each of them one normal cloud.
class NullSamples {
 public:
  NullSamples(const Matrix& rows, const Partition& partition, std::uint64_t seed) : seed_(seed) {
    std::vector<NormalCloud> clouds;
    for (int c = 0; c < static_cast<int>(partition.clusters); ++c) {
      std::vector<Index> members;
      for (std::size_t i = 0; i < partition.labels.size(); ++i)
        if (partition.labels[i] == c) members.push_back(static_cast<Index>(i));
      clouds.emplace_back(rows_at(rows, members));
    }
    std::mt19937_64 random(seed);
    for (int s = 0; s < null_samples; ++s) {
      Matrix sample(rows.rows(), rows.cols());
      for (Index i = 0; i < sample.rows(); ++i)
        sample.row(i) = clouds[static_cast<std::size_t>(partition.labels[static_cast<std::size_t>(i)])].draw(random);
      left_.push_back(tested_partition(sample, partition.clusters, seed).inertia);
      totals_.push_back(tested_partition(sample, 1, seed).inertia);
      samples_.push_back(std::move(sample));
    }
  }

  struct Shares {
    Eigen::VectorXd of_all, of_rest;
  };
  /// Of the variance, and of what the clusters of the partition leave of it: what so many clusters explain.
  Shares explained(Index clusters) const {
    Shares shares{Eigen::VectorXd(null_samples), Eigen::VectorXd(null_samples)};
    for (Index s = 0; s < null_samples; ++s) {
      const auto at = static_cast<std::size_t>(s);
      const double inertia = tested_partition(samples_[at], clusters, seed_).inertia;
      shares.of_all[s] = totals_[at] > 0 ? 1 - inertia / totals_[at] : 0;
      shares.of_rest[s] = left_[at] > 0 ? 1 - inertia / left_[at] : 0;
    }
    return shares;
  }

 private:
  std::uint64_t seed_;
  std::vector<Matrix> samples_;
  std::vector<double> left_, totals_;
};

double deviation_of(const Eigen::VectorXd& values) {
  return std::sqrt((values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1));
}

/// The smallest share, over the clusters of one half, of pairs that the clusters of the other half keep together.
double strength_of_half(const Matrix& known, const Matrix& tested, Index clusters, std::uint64_t seed) {
  const Partition from = tested_partition(known, clusters, seed), own = tested_partition(tested, clusters, seed);
  const std::vector<int> predicted = nearest_centres(row_space(tested, {.threads = 1})->costs(from.centres));
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

/// Points in random order, dealt out so that both halves have half of every cluster: of few points, one half might
/// otherwise have none of a cluster, however clear it is.
std::array<std::vector<Index>, 2> halves_of(const Partition& partition, std::span<const Index> order) {
  std::array<std::vector<Index>, 2> halves;
  std::vector<std::array<std::size_t, 2>> counts(static_cast<std::size_t>(partition.clusters), {0, 0});
  for (const Index i : order) {
    auto& [first, second] = counts[static_cast<std::size_t>(partition.labels[static_cast<std::size_t>(i)])];
    const bool to_second = first != second ? first > second : halves[0].size() > halves[1].size();
    ++(to_second ? second : first);
    halves[to_second ? 1 : 0].push_back(i);
  }
  return halves;
}

/// Of as many clusters as the partition of the rows has.
double prediction_strength(const Matrix& rows, const Partition& partition, std::uint64_t seed) {
  double sum = 0;
  std::vector<Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (int s = 0; s < strength_splits; ++s) {
    shuffle(order, random);
    const auto halves = halves_of(partition, order);
    const Matrix one = rows_at(rows, halves[0]), other = rows_at(rows, halves[1]);
    sum +=
        strength_of_half(one, other, partition.clusters, seed) + strength_of_half(other, one, partition.clusters, seed);
  }
  return sum / (2 * strength_splits);
}

/// Whether clusters explain more of the variance than they do of normal clouds; `by_chance` of that of each sample.
bool explain_more(double share, const Eigen::VectorXd& by_chance) {
  const double mean = by_chance.mean();
  // Where clouds leave little, clusters cannot explain much more than them, but leave much less.
  return share > mean + deviations_needed * deviation_of(by_chance) &&
         (share > ratio_needed * mean || 1 - share < (1 - mean) / remainder_ratio_needed);
}

}  // namespace

bool more_than_one_cloud(const std::vector<Matrix>& samples, Index clusters, std::uint64_t seed) {
  double found = 0, by_chance = 0, deviation = 0;
  for (const Matrix& sample : samples) {
    const Matrix rows = principal_rows(sample, std::min(most_components, sample.rows() - 1));
    const Partition one = tested_partition(rows, 1, seed);
    if (!(one.inertia > 0)) continue;
    const Eigen::VectorXd shares = NullSamples(rows, one, seed).explained(clusters).of_all;
    found += 1 - tested_partition(rows, clusters, seed).inertia / one.inertia;
    by_chance += shares.mean();
    deviation += deviation_of(shares);
  }
  return found > by_chance + deviations_needed * deviation && found > ratio_needed * by_chance;
}

Clustering::Structure test_structure(const SpdBatch& x, const ClusterOptions& options) {
  const std::vector<Index> sample = random_sample(x.size(), most_tested, options.seed);
  Clustering::Structure test;
  test.samples = static_cast<Index>(sample.size());
  const Matrix rows =
      principal_rows(flat_rows(x.select(sample), metric_of(options), options.zeta, options.pairs.threads),
                     std::min(most_components, test.samples - 1));
  Partition known = tested_partition(rows, 1, options.seed);
  const double total = known.inertia;
  NullSamples null(rows, known, options.seed);
  const Index most = std::min(options.most_clusters, test.samples / 4);
  for (Index clusters = 2; clusters <= most && known.inertia > least_left * total; ++clusters) {
    report_stage(options, "testing for clusters");
    Partition found = tested_partition(rows, clusters, options.seed);
    const NullSamples::Shares by_chance = null.explained(clusters);
    const double gain = 1 - found.inertia / known.inertia;
    test.clusters.push_back(clusters);
    test.explained.push_back(1 - found.inertia / total);
    test.null_clusters.push_back(known.clusters);
    test.null_mean.push_back(by_chance.of_all.mean());
    test.null_deviation.push_back(deviation_of(by_chance.of_all));
    test.strength.push_back(prediction_strength(rows, found, options.seed));
    if (!explain_more(gain, by_chance.of_rest) || test.strength.back() < strength_needed) continue;
    known = std::move(found);
    if (clusters < most) null = NullSamples(rows, known, options.seed);
  }
  test.found = known.clusters;
  return test;
}

}  // namespace dsk::detail
