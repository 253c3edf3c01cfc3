#include "experiment/studies.hpp"

#include <omp.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace dsk::experiment {
namespace {

/// Guesses from what each method took so far how long the rest will take.
class Clock {
 public:
  Clock(const std::vector<Study>& studies, const std::vector<Index>& splits, int threads)
      : threads_(threads > 0 ? threads : omp_get_max_threads()) {
    for (std::size_t s = 0; s < studies.size(); ++s)
      for (const Method& method : studies[s].options.methods) {
        methods_[method.full_name()].left += splits[s];
        progress_.all += splits[s];
      }
  }

  void count(const SplitResult& result) {
    Spent& method = methods_[result.method];
    --method.left;
    ++method.done;
    method.seconds += result.seconds;
    ++progress_.done;
  }

  ExperimentProgress progress() {
    double seconds = 0, done = 0;
    for (const auto& [name, method] : methods_) seconds += method.seconds, done += method.done;
    progress_.seconds_left = 0;
    for (const auto& [name, method] : methods_) {
      const double each = method.done > 0 ? method.seconds / method.done : done > 0 ? seconds / done : 0;
      progress_.seconds_left += each * static_cast<double>(method.left) / threads_;
    }
    return progress_;
  }

 private:
  struct Spent {
    Index left = 0;
    double done = 0, seconds = 0;
  };
  int threads_;
  std::map<std::string, Spent> methods_;
  ExperimentProgress progress_;
};

/// Without those that nobody asked for.
std::vector<SplitResult> known_results(const Study& study, Index splits, const RunOptions& options) {
  std::vector<SplitResult> known;
  if (!options.finished) return known;
  for (SplitResult& result : options.finished(study))
    if (result.split < splits && std::any_of(study.options.methods.begin(), study.options.methods.end(),
                                             [&](const Method& m) { return m.full_name() == result.method; }))
      known.push_back(std::move(result));
  return known;
}

}  // namespace

std::vector<Evaluation> evaluate_all(const std::vector<Study>& studies, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Index> splits;
  splits.reserve(studies.size());
  for (const Study& study : studies)
    splits.push_back(static_cast<Index>(make_splits(study.data, study.options.protocol, study.options.seed).size()));
  Clock clock(studies, splits, options.threads);
  std::vector<std::vector<SplitResult>> known;
  for (std::size_t s = 0; s < studies.size(); ++s) {
    known.push_back(known_results(studies[s], splits[s], options));
    for (const SplitResult& result : known.back()) clock.count(result);
  }
  if (options.on_progress) options.on_progress(clock.progress());

  std::vector<Evaluation> evaluations(studies.size());
  const Index most = *std::max_element(splits.begin(), splits.end());
  constexpr Index at_a_time = 2;
  for (Index first = 0; first < most; first += at_a_time) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (options.minutes > 0 && first >= at_a_time && spent.count() > 60 * options.minutes) break;
    const Index last = std::min(most, first + at_a_time);
    for (std::size_t s = 0; s < studies.size(); ++s) {
      // Leave-one-out has one score, over all of its splits.
      const bool whole = studies[s].options.protocol.kind == Protocol::Kind::loo;
      if (first >= (whole ? 1 : splits[s])) continue;
      EvaluationOptions with = studies[s].options;
      with.first_splits = whole ? splits[s] : last;
      with.threads = options.threads;
      with.keep_kernel = false;
      for (const SplitResult& result : known[s])
        if (result.split < *with.first_splits) with.finished.push_back(result);
      with.on_result = [&](const SplitResult& result) {
        known[s].push_back(result);
        clock.count(result);
        if (options.on_progress) options.on_progress(clock.progress());
        return !options.on_result || options.on_result(studies[s], result);
      };
      evaluations[s] = evaluate(studies[s].data, with);
    }
  }
  return evaluations;
}

}  // namespace dsk::experiment
