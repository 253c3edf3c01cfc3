#include <dsk/evaluate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

#include "engine/engine.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/shared_learning.hpp"
#include "learn/learn.hpp"
#include "machine/messages.hpp"
#include "machine/parallel.hpp"

namespace dsk {
namespace {

using detail::Hits;

/// Whether relative thetas are tried in both ranges, the valid ones first.
bool has_both_ranges(const FitOptions& options, const PenaltySearch& search) {
  return search.both_ranges && options.allow_indefinite && theta_rule(options.metric) == ThetaRule::half_integers;
}

/// The criterion's own first.
std::vector<double> svm_thetas(const Matrix& divergences, const LearnedKernel& kernel, const FitOptions& options,
                               const PenaltySearch& search) {
  std::vector<double> thetas{kernel.theta()};
  if (search.relative_thetas.empty()) return thetas;
  const auto add = [&](bool any) {
    const std::vector<double> others =
        detail::thetas_over_median(divergences, search.relative_thetas, kernel.metric(), kernel.dim(), any);
    thetas.insert(thetas.end(), others.begin(), others.end());
  };
  if (has_both_ranges(options, search)) add(false);
  add(options.allow_indefinite);
  return thetas;
}

/// For k-NN by the number of neighbours, for the SVM by theta and then by C.
std::vector<Hits> hits_of(const LearnedKernel& kernel, const Dataset& train, const Dataset& test,
                          const FitOptions& options, const PenaltySearch& search) {
  const Comparison comparison = comparison_by(kernel);
  const ComparedBatch adjusted_train(comparison, train.matrices(), options.pairs.threads);
  const ComparedBatch adjusted_test(comparison, test.matrices(), options.pairs.threads);
  const Matrix to_train = pairwise_squared_distances(adjusted_test, adjusted_train, options.pairs);
  if (search.classifier == Classifier::knn)
    return detail::neighbour_hits(to_train, train.labels(), test.labels(), search.neighbours, train.weights());

  const Matrix of_train = pairwise_squared_distances(adjusted_train, options.pairs);
  std::map<double, std::vector<Hits>> by_theta;
  std::vector<Hits> all;
  for (const double theta : svm_thetas(of_train, kernel, options, search)) {
    std::vector<Hits>& hits = by_theta[theta];
    if (hits.empty()) {
      Matrix train_kernel = of_train, test_kernel = to_train;
      exponential_in_place(train_kernel, -theta, options.pairs.threads);
      exponential_in_place(test_kernel, -theta, options.pairs.threads);
      hits = detail::svm_hits(train_kernel, test_kernel, train.labels(), test.labels(), search.svm_cs, search.svm,
                              options.pairs.threads, train.weights());
    }
    all.insert(all.end(), hits.begin(), hits.end());
  }
  return all;
}

std::size_t number_of_settings(const FitOptions& options, const PenaltySearch& search) {
  if (search.classifier == Classifier::knn) return search.neighbours.size();
  const std::size_t ranges = has_both_ranges(options, search) ? 2 : 1;
  return search.svm_cs.size() * (1 + ranges * search.relative_thetas.size());
}

/// The same, none where the adjustment takes a matrix out of double's range.
std::vector<Hits> hits_if_any(const LearnedKernel& kernel, const Dataset& train, const Dataset& test,
                              const FitOptions& options, const PenaltySearch& search) {
  try {
    return hits_of(kernel, train, test, options, search);
  } catch (const NumericalFailure&) {
    return std::vector<Hits>(number_of_settings(options, search), Hits(static_cast<std::size_t>(test.size()), false));
  }
}

/// The best setting for one penalty, the first of several.
PenaltyChoice::Score best_setting(double penalty, const std::vector<Hits>& hits, const FitOptions& options,
                                  const PenaltySearch& search, const std::vector<double>& weights) {
  std::vector<double> shares;
  shares.reserve(hits.size());
  for (const Hits& one : hits) shares.push_back(detail::share(one, weights));
  const auto best = static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  PenaltyChoice::Score score{.penalty = penalty, .accuracy = shares[best], .hits = hits[best]};
  if (search.classifier == Classifier::knn) {
    score.neighbours_or_c = static_cast<double>(search.neighbours[best]);
    return score;
  }
  const std::size_t theta = best / search.svm_cs.size();
  score.neighbours_or_c = search.svm_cs[best % search.svm_cs.size()];
  if (theta == 0) return score;
  const std::size_t count = search.relative_thetas.size();
  score.relative_theta = search.relative_thetas[(theta - 1) % count];
  score.valid_theta = has_both_ranges(options, search) && theta <= count;
  return score;
}

/// The best penalty for each number of neighbours, the strongest of several; hits[p][s] are those of penalty p.
std::vector<PenaltyChoice::Score> best_by_neighbours(const std::vector<double>& penalties,
                                                     const std::vector<std::vector<Hits>>& hits,
                                                     const PenaltySearch& search, const std::vector<double>& weights) {
  std::vector<PenaltyChoice::Score> best(search.neighbours.size());
  for (std::size_t s = 0; s < best.size(); ++s)
    for (std::size_t p = 0; p < penalties.size(); ++p)
      if (const double accuracy = detail::share(hits[p][s], weights); accuracy >= best[s].accuracy)
        best[s] = {.penalty = penalties[p],
                   .accuracy = accuracy,
                   .neighbours_or_c = static_cast<double>(search.neighbours[s]),
                   .hits = hits[p][s]};
  return best;
}

void check(const PenaltySearch& search) {
  if (search.classifier != Classifier::knn && search.classifier != Classifier::svm)
    throw InvalidInput(
        fmt::format("penalties are scored by the classifiers knn and svm, not by {}", name(search.classifier)));
  if (search.penalty && !(*search.penalty >= 0))
    throw InvalidInput(fmt::format("penalty {} must be 0 or more", *search.penalty));
  if (search.relative_penalties.empty()) throw InvalidInput("the grid of penalties is empty");
  for (const double penalty : search.relative_penalties)
    if (!(penalty >= 0)) throw InvalidInput(fmt::format("penalty {} must be 0 or more", penalty));
  if (search.classifier == Classifier::knn ? search.neighbours.empty() : search.svm_cs.empty())
    throw InvalidInput("the grid of the classifier's settings is empty");
  for (const Index k : search.neighbours)
    if (k < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", k));
  for (const double c : search.svm_cs)
    if (!(c > 0 && std::isfinite(c))) throw InvalidInput(fmt::format("C {} must be finite and above 0", c));
  for (const double theta : search.relative_thetas)
    if (!(theta > 0 && std::isfinite(theta)))
      throw InvalidInput(fmt::format("relative theta {} must be finite and above 0", theta));
}

/// Ascending.
std::vector<double> penalties_of(const Dataset& train, const FitOptions& options, const PenaltySearch& search) {
  if (search.penalty) return {*search.penalty};
  Dataset sample = detail::to_learn_from(train, search.learn_on, search.seed);
  if (detail::has_steps_before(options))
    sample = detail::transformed(sample, detail::fit_steps_before(sample, options), options);
  const double unit =
      std::abs(detail::shared_plain(sample, detail::without_steps_before(options), search.shared).value);
  std::vector<double> penalties;
  for (const double relative : search.relative_penalties)
    penalties.push_back(std::isinf(relative) ? relative : relative * unit);
  std::sort(penalties.begin(), penalties.end());
  return penalties;
}

/// The options for learning on one training part: theta and C found once serve all penalties.
FitOptions options_for(const Dataset& part, const FitOptions& options, const PenaltySearch& search) {
  const PlainKernel plain = detail::shared_plain(part, options, search.shared);
  FitOptions with = options;
  with.tolerance = std::max(options.tolerance, search.tolerance);
  with.theta = plain.theta;
  with.allow_indefinite |= options.search_all_thetas;
  if (has_soft_margin(options.criterion)) with.c = plain.c;
  return with;
}

/// Methods that differ only in what they do with the kernel share it, unless a callback is to see it being learned.
LearnResult learn(const Dataset& part, const FitOptions& options, detail::SharedLearning* shared) {
  if (shared == nullptr || options.on_iteration) return fit_kernel(part, options);
  return shared->kernel(detail::SharedLearning::key_of(part, options), [&] { return fit_kernel(part, options); });
}

/// How many penalties were tried on how many folds, told one thread at a time; and whether another fold has failed, so
/// that the others need not go on.
class Progress {
 public:
  Progress(const PenaltySearch& search, std::size_t all) : search_(search), all_(static_cast<int>(all)) {}

  void one_more() {
    const std::scoped_lock lock(reporting_);
    if (!cancelled_ && search_.on_progress) cancelled_ = !search_.on_progress(++done_, all_);
    if (cancelled_) throw Cancelled();
  }

  /// Calls work() for a fold, or for one of its penalties, unless another has failed.
  template <class Work>
  void guard(const Work& work) {
    if (stopped_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }

  void rethrow_cancelled() const {
    if (cancelled_) throw Cancelled();
  }

 private:
  const PenaltySearch& search_;
  const int all_;
  std::mutex reporting_;
  std::atomic<bool> stopped_ = false;
  int done_ = 0;
  bool cancelled_ = false;
};

/// What the held-out part of one fold says of each penalty.
std::vector<std::vector<Hits>> hits_on_fold(const Dataset& train, const Split& split, const FitOptions& options,
                                            const std::vector<double>& penalties, const PenaltySearch& search,
                                            Progress& progress) {
  Dataset part = train.select(split.train), held_out = train.select(split.test);
  Dataset sample = detail::to_learn_from(part, search.learn_on, search.seed);
  const auto context = [&] {
    return fmt::format("cross-validation, learning from {} of {} matrices", part.size(), train.size());
  };
  std::vector<std::vector<Hits>> hits;
  detail::in_context(context, [&] {
    if (detail::has_steps_before(options)) {
      const Transform before = detail::fit_steps_before(sample, options);
      for (Dataset* const data : {&part, &held_out, &sample}) *data = detail::transformed(*data, before, options);
    }
    FitOptions with = options_for(sample, detail::without_steps_before(options), search);
    for (const double penalty : penalties)
      progress.guard([&] {
        with.penalty = penalty;
        const LearnResult learned = learn(sample, with, search.shared);
        if (learned.fit.stop == Fit::Stop::cancelled) throw Cancelled();
        hits.push_back(hits_if_any(learned.kernel, part, held_out, options, search));
        progress.one_more();
      });
  });
  return hits;
}

/// Whether folds run side by side, each on one thread: not where they would share a device or ranks, where a callback
/// follows the iterations, or where there are far more threads than folds.
bool are_side_by_side(std::size_t folds, const FitOptions& options) {
  constexpr double long_enough = 1e9;
  const auto threads = static_cast<std::size_t>(detail::worker_count(options.pairs.threads, long_enough));
  return folds > 1 && threads <= 2 * folds && !options.on_iteration && !takes_turns(options.pairs) &&
         options.pairs.team == nullptr;
}

/// hits[p] are those of penalty p on all folds.
std::vector<std::vector<Hits>> hits_on_folds(const Dataset& train, const std::vector<Split>& splits,
                                             const FitOptions& options, const std::vector<double>& penalties,
                                             const PenaltySearch& search) {
  const bool side_by_side = are_side_by_side(splits.size(), options);
  FitOptions own = options;
  if (side_by_side) own.pairs.threads = 1;
  Progress progress(search, splits.size() * penalties.size());
  std::vector<std::vector<std::vector<Hits>>> of_folds(splits.size());
  constexpr double long_enough = 1e9;
  const auto work_on = [&](Index from, Index to) {
    for (auto f = static_cast<std::size_t>(from); f < static_cast<std::size_t>(to); ++f)
      progress.guard([&] { of_folds[f] = hits_on_fold(train, splits[f], own, penalties, search, progress); });
  };
  try {
    detail::for_ranges(std::ssize(splits), side_by_side ? options.pairs.threads : 1, long_enough, work_on);
  } catch (...) {
    progress.rethrow_cancelled();
    throw;
  }
  std::vector<std::vector<Hits>> hits(penalties.size());
  for (const std::vector<std::vector<Hits>>& of_fold : of_folds)
    for (std::size_t p = 0; p < penalties.size(); ++p) detail::append(hits[p], of_fold[p]);
  return hits;
}

}  // namespace

PenaltyChoice choose_penalty(const Dataset& train, const FitOptions& options, const PenaltySearch& search) {
  check(search);
  const std::vector<Split> splits = detail::folds_of(train, search.given_folds, search.folds, search.seed);
  const std::vector<double> weights = detail::scored_weights(train, splits);
  const std::vector<double> penalties = penalties_of(train, options, search);
  const std::vector<std::vector<Hits>> hits = hits_on_folds(train, splits, options, penalties, search);
  PenaltyChoice choice;
  choice.folds = static_cast<Index>(splits.size());
  choice.matrices = train.size();
  for (std::size_t p = 0; p < penalties.size(); ++p) {
    choice.scores.push_back(best_setting(penalties[p], hits[p], options, search, weights));
    if (choice.scores.back().accuracy >= choice.best.accuracy) choice.best = choice.scores.back();
  }
  if (search.classifier == Classifier::knn) choice.by_neighbours = best_by_neighbours(penalties, hits, search, weights);
  return choice;
}

}  // namespace dsk
