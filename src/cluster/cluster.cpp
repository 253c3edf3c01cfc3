#include <dsk/cluster.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cluster/clusterer.hpp"
#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/messages.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

using detail::Clusterer;
using detail::Partition;
using detail::SilhouetteSample;

constexpr Index pictured_samples = 500;
constexpr Index pictured_components = 4;

using MethodRow = detail::NameRow<ClusterMethod>;

constexpr MethodRow methods[] = {{ClusterMethod::kmeans, "kmeans"},
                                 {ClusterMethod::kernel_kmeans, "kernel-kmeans"},
                                 {ClusterMethod::spectral, "spectral"}};

void check_counts(const Dataset& data, const ClusterOptions& options) {
  if (options.clusters && (*options.clusters < 1 || *options.clusters > data.size()))
    throw InvalidInput(fmt::format("clusters is {}, but must be from 1 to the number of matrices, {}",
                                   *options.clusters, data.size()));
  if (options.most_clusters < 2)
    throw InvalidInput(fmt::format("most_clusters is {}, but must be at least 2", options.most_clusters));
  if (options.restarts < 1) throw InvalidInput(fmt::format("restarts is {}, but must be at least 1", options.restarts));
  if (options.max_iterations < 1)
    throw InvalidInput(fmt::format("max_iterations is {}, but must be at least 1", options.max_iterations));
  if (options.neighbours < 0)
    throw InvalidInput(fmt::format("neighbours is {}, but must be 0 (a complete graph) or more", options.neighbours));
}

void check(const Dataset& data, const ClusterOptions& options) {
  check_counts(data, options);
  if (!(options.tolerance >= 0)) throw InvalidInput(fmt::format("tolerance {} must be 0 or more", options.tolerance));
  if (options.theta && !(*options.theta > 0 && std::isfinite(*options.theta)))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", *options.theta));
  if (options.theta && options.method == ClusterMethod::kmeans)
    throw InvalidInput("theta has no effect on kmeans; use kernel-kmeans or spectral");
  if (!options.start) return;
  if (options.method != ClusterMethod::kmeans) throw InvalidInput("given starting centres are for kmeans only");
  if (!options.clusters || options.start->size() != *options.clusters)
    throw InvalidInput(fmt::format("{} starting centres do not match {} clusters", options.start->size(),
                                   options.clusters ? std::to_string(*options.clusters) : "unknown"));
  if (options.start->dim() != data.dim())
    throw InvalidInput(
        fmt::format("starting centres have size {}, but the matrices have size {}", options.start->dim(), data.dim()));
}

void add_silhouettes(const Clusterer& clusterer, const Partition& partition, std::uint64_t seed, Clustering& result) {
  if (partition.clusters < 2) return;
  const SilhouetteSample sample(clusterer, static_cast<Index>(partition.labels.size()), seed);
  const auto [values, labels] = sample.of(partition);
  result.silhouette = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  std::vector<double> counts(result.sizes.size(), 0);
  result.cluster_silhouettes.assign(result.sizes.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.cluster_silhouettes[static_cast<std::size_t>(labels[i])] += values[i];
    ++counts[static_cast<std::size_t>(labels[i])];
  }
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] > 0) result.cluster_silhouettes[c] /= counts[c];
}

Clustering::Scores scores_of(const Labels& labels, const Clustering& clustering) {
  Clustering::Scores scores;
  scores.adjusted_rand = adjusted_rand_index(labels.codes(), clustering.labels);
  scores.mutual_information = normalised_mutual_information(labels.codes(), clustering.labels);
  scores.class_names = labels.names();
  for (const Index i : clustering.pictured) scores.pictured.push_back(labels[i]);
  scores.counts = Matrix::Zero(static_cast<Index>(labels.names().size()), clustering.clusters());
  for (Index i = 0; i < labels.size(); ++i)
    scores.counts(labels[i], clustering.labels[static_cast<std::size_t>(i)]) += 1;
  return scores;
}

void add_notes(const Clusterer& clusterer, const ClusterOptions& options, Index asked, Clustering& result) {
  if (result.clusters() < asked)
    result.notes.push_back(
        fmt::format("only {} of {} clusters have members: "
                    "there are no more distinct matrices",
                    result.clusters(), asked));
  if (!result.converged)
    result.notes.push_back("k-means did not converge in " + detail::counted(options.max_iterations, "iteration"));
  if (!clusterer.spectrum_converged()) result.notes.emplace_back("the eigenvectors of the graph did not converge");
  constexpr double noticeable = 1e-3;
  if (result.features && result.features->residual_share > noticeable)
    result.notes.push_back(fmt::format("{} features miss {:.2g} % of the kernel; use more landmarks to miss less",
                                       result.features->map.size(), 100 * result.features->residual_share));
}

void take_partition(const Clusterer& clusterer, const Partition& partition, Clustering& result) {
  result.labels = partition.labels;
  result.sizes.assign(static_cast<std::size_t>(partition.clusters), 0);
  for (const int label : result.labels) ++result.sizes[static_cast<std::size_t>(label)];
  result.inertia = partition.inertia;
  result.iterations = partition.iterations;
  result.converged = partition.converged;
  result.theta = clusterer.theta();
  result.eigenvalues = clusterer.eigenvalues();
  if (const auto& features = clusterer.features()) {
    const std::vector<double>& shares = features->fit.residual_shares;
    result.features = {features->map, std::get<Matrix>(partition.centres), shares.empty() ? 0 : shares.back()};
  }
}

/// Centres of k-means as matrices, also where the metric's coordinates were
/// clustered.
SpdBatch centre_matrices(const SpdBatch& x, const Clustering& clustering, const PairOptions& options) {
  const auto space = detail::matrix_space(x, clustering.metric, clustering.zeta, options);
  return std::get<SpdBatch>(space->means(clustering.labels, clustering.clusters()));
}

void add_picture(const SpdBatch& x, const ClusterOptions& options, Clustering& result) {
  result.pictured = random_sample(x.size(), pictured_samples, options.seed);
  result.picture = detail::principal_rows(
      detail::flat_rows(x.select(result.pictured), result.metric, result.zeta, options.pairs.threads),
      pictured_components);
}

}  // namespace

ClusterMethod parse_cluster_method(std::string_view text) {
  return detail::find_by_name(std::span<const MethodRow>(methods), text, "clustering method").value;
}
std::string_view name(ClusterMethod method) {
  return detail::find_by_value(std::span<const MethodRow>(methods), method, "clustering method").name;
}
std::string cluster_method_choices() {
  return detail::choices(std::span<const MethodRow>(methods));
}

Clustering cluster(const Dataset& data, const ClusterOptions& options) {
  check(data, options);
  engine::require_cpu(options.pairs, "clustering");
  Clustering result{
      .method = options.method, .metric = detail::metric_of(options), .zeta = options.zeta, .seed = options.seed};
  SpdBatch x = data.matrices();
  const Index count = options.clusters ? *options.clusters : detail::choose_count(x, options, result);
  if (options.learn) {
    detail::LearnedClusters learned = detail::learn_without_labels(x, count, options);
    result.learning = learned.learning;
    result.learned = std::move(learned.kernel);
    if (result.learned) x = result.learned->adjust(x, options.pairs.threads);
  }
  detail::report_stage(options, "clustering");
  const Clusterer clusterer(x, options, count);
  const Partition partition = clusterer.partition(count);
  take_partition(clusterer, partition, result);
  if (result.method == ClusterMethod::kmeans) {
    const auto* const found = std::get_if<SpdBatch>(&partition.centres);
    result.centres = found != nullptr ? *found : centre_matrices(x, result, options.pairs);
  }
  if (options.summarise) add_silhouettes(clusterer, partition, options.seed, result);
  if (options.summarise) add_picture(x, options, result);
  if (data.has_labels()) result.scores = scores_of(data.labels(), result);
  add_notes(clusterer, options, count, result);
  return result;
}

std::vector<int> assign(const Clustering& clustering, const SpdBatch& x, const PairOptions& options) {
  const SpdBatch points = clustering.learned ? clustering.learned->adjust(x, options.threads) : x;
  if (clustering.centres) {
    const SpdBatch& centres = *clustering.centres;
    detail::check_model_dim(points.dim(), points.dim(), centres.dim());
    return detail::nearest_centres(
        detail::matrix_space(points, clustering.metric, clustering.zeta, options)->costs(centres));
  }
  if (!clustering.features)
    throw InvalidInput(
        "spectral clustering has no centres and cannot assign "
        "new matrices; use kernel-kmeans");
  const Clustering::FeatureCentres& centres = *clustering.features;
  std::vector<int> labels;
  centres.map.visit_features(
      points,
      [&](Index, const Matrix& features) {
        const std::vector<int> some =
            detail::nearest_centres(pairwise_squared_distances(features, centres.rows, options));
        labels.insert(labels.end(), some.begin(), some.end());
      },
      options);
  return labels;
}

}  // namespace dsk
