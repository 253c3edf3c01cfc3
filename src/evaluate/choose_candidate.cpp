#include <dsk/evaluate.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/race.hpp"
#include "machine/messages.hpp"

namespace dsk::detail {
namespace {

/// More repetitions where a single cross-validation predicts few matrices.
Index repeats_for(Index matrices) {
  constexpr Index predictions_wanted = 500;
  constexpr Index most = 3;
  return std::clamp<Index>(predictions_wanted / matrices, 1, most);
}

bool is_average(const ScoredCandidate& one) {
  return is_ladder(one.candidate);
}

/// As if each matrix had been predicted once at most.
double standard_error(const ScoredCandidate& one, Index matrices) {
  const Index predicted = std::min(matrices, static_cast<Index>(one.hits.size()));
  return std::sqrt(one.accuracy * (1 - one.accuracy) / static_cast<double>(predicted));
}

/// Puts the best setting of the best family first, a family being as good as its best three settings in the mean: the
/// best of many settings is a little better by chance alone.
void put_best_family_first(std::vector<ScoredCandidate>& scored) {
  constexpr std::size_t settings = 3;
  struct Standing {
    std::size_t first = 0;
    double sum = 0;
    std::size_t count = 0;
  };
  std::map<std::tuple<Family, Metric, double, bool, Index, bool>, Standing> families;
  for (std::size_t k = 0; k < scored.size() && scored[k].folds == scored.front().folds; ++k) {
    const Candidate& one = scored[k].candidate;
    Standing& standing = families[{one.family, one.metric, one.zeta, one.recentred, one.components, one.adjusted}];
    if (standing.count == 0) standing.first = k;
    if (standing.count == settings) continue;
    standing.sum += scored[k].accuracy;
    ++standing.count;
  }
  const auto mean = [](const Standing& standing) { return standing.sum / static_cast<double>(standing.count); };
  const Standing* best = nullptr;
  for (const auto& [family, standing] : families)
    if (best == nullptr || mean(standing) > mean(*best) ||
        (mean(standing) == mean(*best) && standing.first < best->first))
      best = &standing;
  const auto winner = scored.begin() + static_cast<std::ptrdiff_t>(best->first);
  std::rotate(scored.begin(), winner, winner + 1);
}

/// Puts the best average of subspaces first unless another candidate is better by more than a standard error: the best
/// of many is a little better by chance alone, and an average of many sizes depends least on chance.
void prefer_averages(std::vector<ScoredCandidate>& scored, Index matrices) {
  const auto average = std::find_if(scored.begin(), scored.end(), is_average);  // the best one: they are sorted
  if (average == scored.end() || average->folds < scored.front().folds) return;
  if (average->accuracy >= scored.front().accuracy - standard_error(scored.front(), matrices))
    std::rotate(scored.begin(), average, average + 1);
}

/// For a large training set: the candidates that are among the best on a sample of it, and all averages. The race is
/// between them then.
std::vector<Candidate> best_on_sample(const Dataset& train, std::vector<Candidate> candidates,
                                      const CandidateOptions& work, const RaceOptions& options) {
  constexpr Index sample = 400, members_of_each_class = 8;
  constexpr std::size_t kept = 12;
  const Index size = std::max(sample, members_of_each_class * static_cast<Index>(train.labels().names().size()));
  if (train.size() < 2 * size || candidates.size() <= kept) return candidates;
  RaceOptions on_sample = options;
  on_sample.given_folds.clear();
  const std::vector<ScoredCandidate> scored =
      race(train.select(balanced_sample(train.labels(), size, options.seed)), candidates, work, on_sample);
  std::vector<Candidate> result;
  for (std::size_t k = 0; k < scored.size(); ++k)
    if (k < kept || is_average(scored[k])) result.push_back(scored[k].candidate);
  return result;
}

/// The size of what is compared. Without a projection that is the full size, if other candidates project for the same
/// metric.
Index components_compared(const Candidate& candidate, const std::vector<Candidate>& all, Index dim) {
  if (candidate.components > 0) return candidate.components;
  const bool projects = std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
    return other.components > 0 && other.metric == candidate.metric;
  });
  return compares_pairs(candidate) && !candidate.adjusted && projects ? dim : 0;
}

}  // namespace

ChosenMethod choose_candidate(const Dataset& train, const Method& method, const SelectionOptions& options,
                              SharedLearning* shared) {
  CandidateOptions work = candidate_options(method, train.dim(), options);
  work.shared = shared;
  const Dataset basis = to_choose_on(train, options);
  const RaceOptions racing{.folds = options.folds,
                           .repeats = repeats_for(basis.size()),
                           .given_folds = options.given_folds,
                           .seed = options.seed,
                           .on_progress = options.on_progress};
  const std::vector<Candidate> candidates =
      best_on_sample(basis, candidates_of(method, train.dim(), options), work, racing);
  std::vector<ScoredCandidate> scored = race(basis, candidates, work, racing);
  put_best_family_first(scored);
  prefer_averages(scored, basis.size());
  // A candidate that fails on the whole training set makes way for the next best.
  std::size_t first = 0;
  const auto fitted = [&]() -> Model {
    while (true) {
      try {
        return fit_candidate(scored[first].candidate, train, work);
      } catch (const NumericalFailure&) {
        if (++first == scored.size()) throw;
      } catch (const UndefinedForData&) {
        if (++first == scored.size()) throw;
      }
    }
  };
  const auto model = std::make_shared<const Model>(fitted());
  const ScoredCandidate& best = scored[first];
  ChosenMethod chosen;
  chosen.method = method;
  chosen.comparison = {.metric = best.candidate.metric, .zeta = best.candidate.zeta};
  chosen.neighbours_or_c = best.candidate.neighbours_or_c;
  chosen.validation_accuracy = best.accuracy;
  chosen.hits = best.hits;
  chosen.svm = options.svm;
  for (std::size_t k = first; k < scored.size(); ++k)
    chosen.candidates.push_back({.name = describe(scored[k].candidate, work.subspace.criterion),
                                 .accuracy = scored[k].accuracy,
                                 .standard_error = standard_error(scored[k], basis.size()),
                                 .folds = scored[k].folds,
                                 .components = components_compared(scored[k].candidate, candidates, train.dim())});
  chosen.model = model;
  return chosen;
}

}  // namespace dsk::detail
