#include <dsk/evaluate.hpp>
#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/engine.hpp"
#include "evaluate/base_kernels.hpp"
#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "kernel/kernel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

std::vector<double> thetas(const Matrix& distances, const ChosenMethod& candidate, Index dim,
                           const SelectionOptions& options) {
  const bool any = options.theta_range == ThetaRange::any;
  if (options.theta) {
    check_theta(candidate.comparison.metric, *options.theta, dim, any);
    return {*options.theta};
  }
  if (candidate.comparison.learned) return {candidate.comparison.learned->theta()};
  const auto in_range = [&](bool all) {
    return detail::thetas_over_median(distances, options.relative_thetas, candidate.comparison.metric, dim, all);
  };
  std::vector<double> result = in_range(any);
  if (options.theta_range == ThetaRange::automatic) {
    const std::vector<double> others = in_range(true);
    result.insert(result.end(), others.begin(), others.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// The best setting for given squared distances of all pairs of the training set.
void score_distances(ChosenMethod candidate, const Dataset& train, const Matrix& distances,
                     const std::vector<Split>& splits, const SelectionOptions& options, ChosenMethod& best) {
  const std::vector<double> weights = detail::scored_weights(train, splits);
  const bool knn = candidate.method.classifier == Classifier::knn;
  const std::vector<double> widths = knn ? std::vector<double>{0} : thetas(distances, candidate, train.dim(), options);
  // Kept from one theta and fold to the next: new memory for large matrices takes longer than filling it.
  Matrix kernel, between_training, to_training;
  for (const double theta : widths) {
    if (!knn) {
      kernel = distances;
      exponential_in_place(kernel, -theta, options.pairs.threads);
    }
    std::vector<detail::Hits> hits;
    for (const Split& split : splits) {
      const Labels known = train.labels().select(split.train), unknown = train.labels().select(split.test);
      const std::vector<double> trained = detail::selected(train.weights(), split.train);
      if (knn) {
        to_training = distances(split.test, split.train);
        detail::append(hits, detail::neighbour_hits(to_training, known, unknown, options.neighbours, trained));
        continue;
      }
      between_training = kernel(split.train, split.train);
      to_training = kernel(split.test, split.train);
      detail::append(hits, detail::svm_hits(between_training, to_training, known, unknown, options.svm_cs, options.svm,
                                            options.pairs.threads, trained));
    }
    for (std::size_t s = 0; s < hits.size(); ++s) {
      candidate.theta = theta;
      candidate.neighbours_or_c = knn ? static_cast<double>(options.neighbours[s]) : options.svm_cs[s];
      candidate.validation_accuracy = detail::share(hits[s], weights);
      candidate.hits = std::move(hits[s]);
      detail::keep_better(best, candidate);
    }
  }
}

/// Predicts the most frequent class, the first of several.
ChosenMethod choose_majority(const Dataset& train, const Method& method) {
  const detail::MostFrequent most = detail::most_frequent_class(train);
  ChosenMethod chosen;
  chosen.method = method;
  chosen.majority_class = most.code;
  chosen.validation_accuracy = most.share;
  return chosen;
}

}  // namespace

ChosenMethod choose_settings(const Dataset& train, const Comparison& comparison, Classifier classifier,
                             const SelectionOptions& options) {
  ChosenMethod best;
  best.validation_accuracy = -1;
  ChosenMethod candidate;
  candidate.method = {.metric = comparison.metric, .classifier = classifier};
  candidate.comparison = comparison;
  candidate.svm = options.svm;
  const Matrix distances = pairwise_squared_distances(comparison, train.matrices(), options.pairs);
  score_distances(std::move(candidate), train, distances,
                  detail::folds_of(train, options.given_folds, options.folds, options.seed), options, best);
  return best;
}

ChosenMethod detail::choose_plain(const Dataset& train, const Method& method, const SelectionOptions& options,
                                  SharedLearning* shared) {
  if (shared != nullptr)
    return shared->plain_settings(train, method, options,
                                  [&] { return choose_plain(train, method, options, nullptr); });
  ChosenMethod best;
  best.validation_accuracy = -1;
  const std::vector<double> zetas =
      method.metric == Metric::powereuclidean ? options.zetas : std::vector<double>{Comparison().zeta};
  for (const double zeta : zetas)
    keep_better(best, choose_settings(train, {.metric = method.metric, .zeta = zeta}, method.classifier, options));
  return best;
}

ChosenMethod choose_settings(const Dataset& train, const Method& method, const SelectionOptions& options) {
  detail::check_combining({&method, 1}, options);
  return detail::choose(train, method, options, nullptr);
}

ChosenMethod detail::choose(const Dataset& train, const Method& method, const SelectionOptions& options,
                            SharedLearning* shared) {
  detail::require_two_classes(train.labels());
  if (!method.outside.empty())
    throw InvalidInput(
        fmt::format("method {} was evaluated outside the library and cannot be trained by it", method.outside));
  if (method.majority) return choose_majority(train, method);
  if (method.combining) return detail::choose_combined(train, method, options);
  if (detail::is_chosen_among_candidates(method, options)) return choose_candidate(train, method, options, shared);
  if (method.automatic || method.learning) return choose_learned(train, method, options, shared);
  return detail::choose_plain(train, method, options, shared);
}

SelectionOptions detail::selection_for(const Method& method, SelectionOptions options) {
  if (keeps_to_valid_thetas(method) && options.theta_range == ThetaRange::automatic)
    options.theta_range = ThetaRange::valid;
  if (options.recentre == Recentring::groups) options.recentre = Recentring::none;
  return options;
}

}  // namespace dsk
