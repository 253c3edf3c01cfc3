#include <dsk/evaluate.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/race.hpp"
#include "machine/messages.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// More repetitions where a single cross-validation predicts few matrices.
Index repeats_for(Index matrices) {
  constexpr Index predictions_wanted = 500;
  constexpr Index most = 3;
  return std::clamp<Index>(predictions_wanted / matrices, 1, most);
}

/// As if each matrix had been predicted once at most.
double standard_error(const ScoredCandidate& one, Index matrices) {
  const Index predicted = std::min(matrices, static_cast<Index>(one.hits.size()));
  return std::sqrt(one.accuracy * (1 - one.accuracy) / static_cast<double>(predicted));
}

/// Positions of the best settings of all families that were scored on all folds, the best family first, a family being
/// as good as its best three settings in the mean: the best of many settings is a little better by chance alone.
std::vector<std::size_t> best_of_families(const std::vector<ScoredCandidate>& scored) {
  constexpr std::size_t settings = 3;
  struct Standing {
    std::size_t first = 0;
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
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
  std::vector<Standing> order;
  for (const auto& [family, standing] : families) order.push_back(standing);
  std::sort(order.begin(), order.end(), [](const Standing& a, const Standing& b) {
    return a.mean() != b.mean() ? a.mean() > b.mean() : a.first < b.first;
  });
  std::vector<std::size_t> best;
  for (const Standing& standing : order) best.push_back(standing.first);
  return best;
}

/// The best of these, at most two with the same classifier: those that differ most err on different matrices. The best
/// ladder is always among them: nothing about its subspaces was chosen.
std::vector<Candidate> members_of_average(const std::vector<ScoredCandidate>& scored,
                                          const std::vector<std::size_t>& best) {
  constexpr std::size_t most = 8;
  constexpr int of_one_classifier = 2;
  std::vector<Candidate> members;
  std::map<Family, int> taken;
  bool has_ladder =
      std::none_of(best.begin(), best.end(), [&](std::size_t k) { return is_ladder(scored[k].candidate); });
  for (const std::size_t k : best) {
    const Candidate& one = scored[k].candidate;
    const std::size_t left = most - members.size() - (has_ladder || is_ladder(one) ? 0 : 1);
    if (left == 0 || taken[one.family] == of_one_classifier) continue;
    ++taken[one.family];
    members.push_back(one);
    has_ladder |= is_ladder(one);
  }
  return members;
}

/// For a large training set: the candidates that are among the best on a sample of it, and those that an average would
/// be made of. The race is between them then.
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
  const auto add = [&](const Candidate& candidate) {
    const auto is_same = [&](const Candidate& other) {
      return describe(other, work.subspace.criterion) == describe(candidate, work.subspace.criterion);
    };
    if (std::none_of(result.begin(), result.end(), is_same)) result.push_back(candidate);
  };
  for (std::size_t k = 0; k < kept; ++k) add(scored[k].candidate);
  for (const Candidate& member : members_of_average(scored, best_of_families(scored))) add(member);
  return result;
}

/// The size of what is compared. Without a projection that is the full size, if other candidates project for the same
/// metric.
Index components_compared(const Candidate& candidate, const std::vector<Candidate>& all, Index dim) {
  if (candidate.components > 0) return candidate.components;
  const bool projects = std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
    const bool alike = compares_pairs(candidate) || other.family == candidate.family;
    return other.components > 0 && other.metric == candidate.metric && alike;
  });
  const bool averages = candidate.family == Family::average || is_ladder(candidate);
  return !averages && !candidate.adjusted && projects ? dim : 0;
}

}  // namespace

ChosenMethod choose_candidate(const Dataset& train, const Method& method, const SelectionOptions& options,
                              SharedLearning* shared) {
  CandidateOptions work = candidate_options(method, train.dim(), options);
  SharedLearning own;
  work.shared = shared != nullptr ? shared : &own;
  const Dataset basis = to_choose_on(train, options);
  const RaceOptions racing{.folds = options.folds,
                           .repeats = repeats_for(basis.size()),
                           .given_folds = options.given_folds,
                           .seed = options.seed,
                           .on_progress = options.on_progress};
  const std::vector<Candidate> candidates =
      best_on_sample(basis, candidates_of(method, train.dim(), options), work, racing);
  std::vector<ScoredCandidate> scored = race(basis, candidates, work, racing);
  const std::vector<std::size_t> best_settings = best_of_families(scored);
  std::optional<ScoredCandidate> average;
  // With more matrices there is less to choose wrongly, and training many classifiers takes long.
  if (method.best && basis.size() == train.size())
    average = average_of_members(basis, members_of_average(scored, best_settings), work, racing);
  const auto winner = scored.begin() + static_cast<std::ptrdiff_t>(best_settings.front());
  std::rotate(scored.begin(), winner, winner + 1);
  if (average && average->accuracy >= scored.front().accuracy - standard_error(scored.front(), basis.size()))
    scored.insert(scored.begin(), *std::move(average));
  // A candidate that fails on the whole training set makes way for the next best.
  std::size_t first = 0;
  std::optional<Mean::Stop> mean_stop;
  const auto fitted = [&]() -> Model {
    while (true) {
      try {
        return fit_candidate(scored[first].candidate, train, work, &mean_stop);
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
  chosen.by_components = best_by_components(chosen.candidates);
  chosen.model = model;
  chosen.mean_stop = mean_stop;
  return chosen;
}

}  // namespace dsk::detail
