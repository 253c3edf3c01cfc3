#include <dsk/learn.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "cluster/clusterer.hpp"
#include "kernel/kernel.hpp"
#include "machine/messages.hpp"
#include "machine/shuffle.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {

bool is_degenerate(const std::vector<int>& labels, Index clusters) {
  std::vector<Index> sizes(static_cast<std::size_t>(clusters), 0);
  for (const int label : labels) ++sizes[static_cast<std::size_t>(label)];
  const Index least = std::max<Index>(2, static_cast<Index>(labels.size()) / (10 * clusters));
  return *std::min_element(sizes.begin(), sizes.end()) < least;
}

bool is_constant(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& pairs) {
  constexpr Index sampled = 100;
  constexpr double least_range = 0.01;
  const Matrix values = kernel_matrix(kernel, x.select(random_sample(x.size(), sampled, 0)), pairs);
  double low = 1, high = 0;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      low = std::min(low, values(i, j));
      high = std::max(high, values(i, j));
    }
  return high - low < least_range;
}

namespace {

constexpr Index most_learned_from = 400;
constexpr Index most_in_half = 150;
constexpr Index fewest_learned_from = 40;
constexpr int stability_splits = 4;
constexpr int most_rounds = 4;
constexpr int learning_restarts = 2;
constexpr int voting_neighbours = 5;
constexpr double least_gain = 0.02;
constexpr double learning_penalty = 0.01;

/// Clusters of some matrices, with the kernel that was learned from them, if any.
struct Alternation {
  std::optional<LearnedKernel> kernel = {};
  std::vector<int> labels;
  double alignment = 0;
  int rounds = 0;
};

/// What to learn: eigenvalues alone, or in a subspace.
struct LearningChoice {
  bool learned = false;
  Index components = 0;
};

std::vector<int> plain_labels(const SpdBatch& x, Index clusters, const ClusterOptions& options) {
  return Clusterer(x, options, clusters).partition(clusters).labels;
}

/// Learns from the assignments and assigns again, until nothing changes. Stops before a trivial solution.
Alternation alternate(const SpdBatch& x, Index clusters, Index components, const ClusterOptions& options) {
  Alternation found{.labels = plain_labels(x, clusters, options)};
  while (found.rounds < most_rounds && !is_degenerate(found.labels, clusters)) {
    report_stage(options, "learning from the clusters");
    const LearnResult learned =
        fit_kernel(Dataset(x, Labels(std::span<const int>(found.labels))), {.criterion = Criterion::centred,
                                                                            .adjustment = Adjustment::affine,
                                                                            .penalty = learning_penalty,
                                                                            .components = components,
                                                                            .subspace_iterations = 15,
                                                                            .max_iterations = 15,
                                                                            .tolerance = 1e-3,
                                                                            .pairs = options.pairs});
    if (is_constant(learned.kernel, x, options.pairs)) break;
    std::vector<int> labels = plain_labels(learned.kernel.adjust(x, options.pairs.threads), clusters, options);
    if (is_degenerate(labels, clusters)) break;
    const bool settled = adjusted_rand_index(labels, found.labels) > 0.999;
    found = {learned.kernel, std::move(labels), learned.fit.criterion, found.rounds + 1};
    if (settled) break;
  }
  return found;
}

/// From several first assignments; the kernel that aligns best with its clusters is kept.
Alternation best_alternation(const SpdBatch& x, Index clusters, const LearningChoice& what,
                             const ClusterOptions& options) {
  if (!what.learned) return {.labels = plain_labels(x, clusters, options)};
  std::optional<Alternation> best;
  for (int r = 0; r < learning_restarts; ++r) {
    ClusterOptions own = options;
    own.seed = options.seed + static_cast<std::uint64_t>(r);
    own.restarts = r == 0 ? options.restarts : 1;
    try {
      Alternation found = alternate(x, clusters, what.components, own);
      if (!best || found.alignment > best->alignment) best = std::move(found);
    } catch (const NumericalFailure&) {
      // A kernel that leaves the range of double is none that could be kept,
    } catch (const UndefinedForData&) {
      // nor is one for whose clusters the criterion is undefined.
    }
  }
  return best ? *std::move(best) : Alternation{.labels = plain_labels(x, clusters, options)};
}

SpdBatch transformed(const std::optional<LearnedKernel>& kernel, const SpdBatch& x, const ClusterOptions& options) {
  return kernel ? kernel->adjust(x, options.pairs.threads) : x;
}

/// By a vote of the nearest known matrices, the nearest deciding ties.
std::vector<int> predicted_labels(const SpdBatch& known, const std::vector<int>& labels, const SpdBatch& x,
                                  const Comparison& comparison, const PairOptions& pairs) {
  const Matrix squared = pairwise_squared_distances(comparison, x, known, pairs);
  const auto voters = std::min<std::size_t>(voting_neighbours, labels.size());
  std::vector<int> predicted;
  for (Index i = 0; i < squared.rows(); ++i) {
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(voters), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        const double da = squared(i, static_cast<Index>(a)), db = squared(i, static_cast<Index>(b));
                        return da != db ? da < db : a < b;
                      });
    const auto votes = [&](int label) {
      return std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(voters),
                           [&](std::size_t k) { return labels[k] == label; });
    };
    int winner = labels[order[0]];
    for (std::size_t v = 1; v < voters; ++v)
      if (votes(labels[order[v]]) > votes(winner)) winner = labels[order[v]];
    predicted.push_back(winner);
  }
  return predicted;
}

/// How well the clusters of one half predict those of the other, and what was learned from the first.
struct HeldOut {
  double stability = 0;
  std::optional<LearnedKernel> kernel = {};
};

HeldOut held_out(const SpdBatch& one, const SpdBatch& other, Index clusters, const LearningChoice& what,
                 const ClusterOptions& options) {
  const Alternation first = best_alternation(one, clusters, what, options);
  const Alternation second = best_alternation(other, clusters, what, options);
  const Comparison comparison{.metric = metric_of(options), .zeta = options.zeta};
  const std::vector<int> predicted =
      predicted_labels(transformed(first.kernel, one, options), first.labels, transformed(first.kernel, other, options),
                       comparison, options.pairs);
  return {adjusted_rand_index(predicted, second.labels), first.kernel};
}

struct Halves {
  SpdBatch one, other;
};

std::vector<Halves> random_halves_of(const SpdBatch& x, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  std::vector<Halves> halves;
  for (int s = 0; s < stability_splits; ++s) {
    shuffle(order, random);
    const std::span<const Index> all(order);
    const auto half = static_cast<std::size_t>(std::min(x.size() / 2, most_in_half));
    halves.push_back({x.select(all.first(half)), x.select(all.subspan(half, half))});
  }
  return halves;
}

std::vector<HeldOut> all_held_out(const std::vector<Halves>& halves, Index clusters, const LearningChoice& what,
                                  const ClusterOptions& options) {
  std::vector<HeldOut> found;
  found.reserve(halves.size());
  for (const Halves& half : halves) found.push_back(held_out(half.one, half.other, clusters, what, options));
  return found;
}

Eigen::VectorXd stabilities(const std::vector<HeldOut>& found) {
  Eigen::VectorXd scores(static_cast<Index>(found.size()));
  for (std::size_t s = 0; s < found.size(); ++s) scores[static_cast<Index>(s)] = found[s].stability;
  return scores;
}

/// Whether the halves from which nothing was learned have clusters after what was learned from the others: one cloud,
/// made narrow in all directions but one, is cut at the same place again and again, which is stable too.
bool are_clusters(const std::vector<HeldOut>& found, const std::vector<Halves>& halves, Index clusters,
                  const ClusterOptions& options) {
  std::vector<Matrix> samples;
  for (std::size_t s = 0; s < found.size(); ++s)
    samples.push_back(flat_rows(transformed(found[s].kernel, halves[s].other, options), metric_of(options),
                                options.zeta, options.pairs.threads));
  return more_than_one_cloud(samples, clusters, options.seed);
}

std::vector<LearningChoice> candidates(Index dim, Index clusters) {
  std::vector<LearningChoice> list{{.learned = true}};
  if (dim > 2) list.push_back({.learned = true, .components = std::min(dim - 1, std::max(clusters, dim / 3))});
  return list;
}

std::string outcome_of(const Clustering::Learning& learning, bool is_clear) {
  const std::string scores = fmt::format("held-out stability {:.3f} after learning and {:.3f} before",
                                         learning.learned_stability, learning.plain_stability);
  if (learning.adopted) return fmt::format("the learned kernel is used: {}", scores);
  if (is_clear)
    return fmt::format("the learned kernel is not used, because held-out matrices form no clusters with it: {}",
                       scores);
  if (learning.learned_stability > learning.plain_stability)
    return fmt::format("the learned kernel is not used, because the gain is not clear: {}", scores);
  return fmt::format("learning did not help and was not used: {}", scores);
}

}  // namespace

LearnedClusters learn_without_labels(const SpdBatch& x, Index clusters, const ClusterOptions& given) {
  LearnedClusters result;
  Clustering::Learning& learning = result.learning;
  if (clusters < 2 || x.size() < fewest_learned_from || x.dim() < 2) {
    learning.outcome = clusters < 2 ? "nothing was learned: there is only one cluster"
                       : x.dim() < 2
                           ? "nothing was learned: matrices of size 1 have nothing to adjust"
                           : fmt::format("nothing was learned: {} matrices are too few; at least {} are needed",
                                         x.size(), fewest_learned_from);
    return result;
  }
  ClusterOptions options = given;
  options.restarts = std::min(given.restarts, 5);
  options.start = std::nullopt;
  const SpdBatch sample = x.select(random_sample(x.size(), most_learned_from, options.seed));
  const std::vector<Halves> halves = random_halves_of(sample, options.seed);
  const Eigen::VectorXd plain = stabilities(all_held_out(halves, clusters, {}, options));
  learning.splits = plain.size();
  learning.plain_stability = plain.mean();
  std::optional<LearningChoice> best;
  std::vector<HeldOut> best_found;
  for (const LearningChoice& what : candidates(x.dim(), clusters)) {
    std::vector<HeldOut> found = all_held_out(halves, clusters, what, options);
    const Eigen::VectorXd scores = stabilities(found);
    if (best && scores.mean() <= learning.learned_stability) continue;
    best = what;
    best_found = std::move(found);
    learning.learned_stability = scores.mean();
    learning.components = what.components;
    const Eigen::VectorXd gains = scores - plain;
    const auto count = static_cast<double>(gains.size());
    learning.standard_error = std::sqrt((gains.array() - gains.mean()).square().sum() / (count - 1) / count);
  }
  const double gain = learning.learned_stability - learning.plain_stability;
  const bool is_clear = gain > std::max(least_gain, 2 * learning.standard_error);
  const bool is_structured = is_clear && are_clusters(best_found, halves, clusters, options);
  if (is_structured) {
    const Alternation found = best_alternation(sample, clusters, *best, options);
    learning.rounds = found.rounds;
    result.kernel = found.kernel;
  }
  learning.adopted = result.kernel.has_value();
  learning.outcome = outcome_of(learning, is_clear);
  return result;
}

}  // namespace dsk::detail
