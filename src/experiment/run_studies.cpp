// Computes studies together.

#include "experiment/experiment.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "evaluate/evaluate.hpp"
#include "machine/parallel.hpp"

namespace dsk::experiment {
namespace {

/// Guesses from what each method took so far how long the rest will take.
class Clock {
 public:
  Clock(const std::vector<Study>& studies, const std::vector<std::vector<Split>>& splits, int threads)
      : threads_(threads > 0 ? threads : omp_get_max_threads()) {
    for (std::size_t s = 0; s < studies.size(); ++s)
      for (const Method& method : studies[s].options.methods) {
        methods_[method.full_name()].left += std::ssize(splits[s]);
        progress_.all += std::ssize(splits[s]);
      }
  }

  void count(const SplitResult& result) {
    Spent& method = methods_[result.method];
    --method.left;
    ++method.done;
    method.seconds += result.seconds;
    ++progress_.done;
  }

  ExperimentOptions::Progress progress() {
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
  ExperimentOptions::Progress progress_;
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

/// Those that learn by the same criterion together, whatever the adjustment, the classifier and the guard. In the order
/// of their first.
std::vector<std::vector<const Method*>> sharing_kernels(const std::vector<Method>& methods) {
  std::vector<std::vector<const Method*>> groups;
  std::map<std::string, std::size_t> found;
  for (const Method& method : methods) {
    Method learned = method;
    if (is_from_paper(method) && (method.learning || method.automatic)) {
      learned.classifier = Classifier::knn;
      if (learned.learning) learned.learning = Method::Learning{learned.learning->criterion};
    }
    const auto [place, is_new] = found.emplace(learned.full_name(), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&method);
  }
  return groups;
}

/// The tasks of all studies, which share the threads: a thread that is done with one study goes on with the next.
class Work {
 public:
  Work(const std::vector<Study>& studies, const RunOptions& options) : studies_(studies), options_(options) {
    for (const Study& study : studies) {
      data_.push_back(dsk::detail::evaluated_data(study.data, study.options.selection.recentre, options.threads));
      splits_.push_back(make_splits(data_.back(), study.options.protocol, study.options.seed));
      results_.push_back(known_results(study, std::ssize(splits_.back()), options));
    }
    clock_.emplace(studies, splits_, options.threads);
    for (const auto& known : results_)
      for (const SplitResult& result : known) clock_->count(result);
    for (Index turn = 0; !whole_turn(turn).empty(); ++turn) turns_.push_back(whole_turn(turn));
    leave_out_what_is_known();
    for (const std::vector<Task>& turn : turns_)
      for (const Task& task : turn) ++shared_[{task.study, task.number}].tasks_left;
  }

  void run() {
    if (options_.on_progress) options_.on_progress(clock_->progress());
    std::vector<Position> tasks;
    for (std::size_t turn = 0; turn < turns_.size(); ++turn)
      for (const Task& task : turns_[turn]) tasks.push_back({turn, task});
    constexpr double long_enough = 1e9;
    dsk::detail::for_ranges(std::ssize(tasks), options_.threads, long_enough, [&](Index first, Index last) {
      for (Index k = first; k < last; ++k)
        if (const Position& at = tasks[static_cast<std::size_t>(k)]; begins(at.turn))
          compute(at.task, tasks.size() > 1 ? 1 : options_.threads);
    });
    while (begun_ < turns_.size() && turns_[begun_].empty()) ++begun_;
  }

  /// Of the splits of all turns that were begun.
  std::vector<Evaluation> evaluations() const {
    std::vector<Evaluation> all;
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      EvaluationOptions with = studies_[s].options;
      with.first_splits =
          std::min(std::ssize(splits_[s]), waits_for_all(s) ? std::ssize(splits_[s]) : splits_of_turns());
      with.threads = options_.threads;
      with.keep_kernel = false;
      for (const SplitResult& result : results_[s])
        if (result.split < *with.first_splits) with.finished.push_back(result);
      all.push_back(evaluate(studies_[s].data, with));
    }
    return all;
  }

 private:
  /// Methods on one split that learn the same kernels on its folds, or a single method.
  struct Task {
    std::size_t study = 0;
    const Split* split = nullptr;
    Index number = 0;  ///< of the split
    std::vector<const Method*> methods = {};
  };
  struct Position {
    std::size_t turn = 0;
    Task task;
  };
  static constexpr Index at_a_time = 2;

  /// Leave-one-out has one score, over all of its splits.
  bool waits_for_all(std::size_t study) const { return studies_[study].options.protocol.kind == Protocol::Kind::loo; }

  Index splits_of_turns() const { return at_a_time * static_cast<Index>(begun_); }

  /// Two splits of every study that has so many, and all of those that have one score.
  std::vector<Task> whole_turn(Index turn) const {
    std::vector<Task> tasks;
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      const Index count = std::ssize(splits_[s]);
      const Index first = waits_for_all(s) && turn > 0 ? count : at_a_time * turn;
      const Index last = waits_for_all(s) ? count : std::min(count, first + at_a_time);
      for (Index split = first; split < last; ++split)
        for (const auto& methods : sharing_kernels(studies_[s].options.methods))
          tasks.push_back({s, &splits_[s][static_cast<std::size_t>(split)], split, methods});
    }
    return tasks;
  }

  void leave_out_what_is_known() {
    std::vector<std::set<std::pair<Index, std::string>>> known(studies_.size());
    for (std::size_t s = 0; s < studies_.size(); ++s)
      for (const SplitResult& result : results_[s]) known[s].insert({result.split, result.method});
    for (std::vector<Task>& turn : turns_) {
      for (Task& one : turn)
        std::erase_if(one.methods, [&](const Method* method) {
          return known[one.study].contains({one.number, method->full_name()});
        });
      std::erase_if(turn, [](const Task& one) { return one.methods.empty(); });
    }
  }

  /// What the methods of one split share, kept as long as there are tasks for it.
  std::shared_ptr<dsk::detail::SharedLearning> shared_by(const Task& task) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<dsk::detail::SharedLearning>& learning = shared_[{task.study, task.number}].learning;
    if (!learning) learning = std::make_shared<dsk::detail::SharedLearning>();
    return learning;
  }
  void leave(const Task& task) {
    const std::scoped_lock lock(mutex_);
    if (--shared_[{task.study, task.number}].tasks_left == 0) shared_.erase({task.study, task.number});
  }

  /// Whether the tasks of this turn are to be computed. The first turn always is; no later one begins when the time is
  /// over, but one that has begun is finished.
  bool begins(std::size_t turn) {
    const std::scoped_lock lock(mutex_);
    if (cancelled_) throw Cancelled();
    if (turn < begun_) return true;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    ended_ = ended_ || (turn > 0 && options_.minutes > 0 && spent.count() > 60 * options_.minutes);
    if (!ended_) begun_ = turn + 1;
    return !ended_;
  }

  void compute(const Task& one, int threads) {
    const std::shared_ptr<dsk::detail::SharedLearning> shared = shared_by(one);
    for (const Method* const method : one.methods) {
      SplitResult result = dsk::detail::result_of(data_[one.study], {one.split, one.number, method, shared.get()},
                                                  studies_[one.study].options_for(*method), threads);
      const std::scoped_lock lock(mutex_);
      clock_->count(result);
      if (options_.on_progress) options_.on_progress(clock_->progress());
      cancelled_ = cancelled_ || (options_.on_result && !options_.on_result(studies_[one.study], result));
      results_[one.study].push_back(std::move(result));
      if (cancelled_) throw Cancelled();
    }
    leave(one);
  }

  struct SharedBySplit {
    std::shared_ptr<dsk::detail::SharedLearning> learning = {};
    Index tasks_left = 0;
  };

  const std::vector<Study>& studies_;
  const RunOptions& options_;
  std::vector<Dataset> data_;
  std::vector<std::vector<Split>> splits_;
  std::vector<std::vector<SplitResult>> results_;
  std::vector<std::vector<Task>> turns_;
  std::map<std::pair<std::size_t, Index>, SharedBySplit> shared_;  ///< by study and split
  std::optional<Clock> clock_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::size_t begun_ = 0;
  bool ended_ = false, cancelled_ = false;
};

}  // namespace

std::vector<Evaluation> evaluate_all(const std::vector<Study>& studies, const RunOptions& options) {
  Work work(studies, options);
  work.run();
  return work.evaluations();
}

}  // namespace dsk::experiment
