#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "classify/classify.hpp"
#include "engine/engine.hpp"
#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/results_file.hpp"
#include "machine/messages.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

using detail::EvaluationTask;

double accuracy_of(const std::vector<int>& predicted, const Labels& truth) {
  return accuracy(Labels(truth.names(), predicted, truth.integral()), truth);
}

SplitResult run(const Dataset& data, const EvaluationTask& task, const SelectionOptions& selection,
                const std::vector<Index>& other_neighbours, std::optional<LearnResult>* kept) {
  const auto start = std::chrono::steady_clock::now();
  const Dataset train = data.select(task.split->train), test = data.select(task.split->test);
  const ChosenMethod chosen = detail::choose(train, *task.method, selection, task.shared);
  SplitResult result;
  result.method = task.method->full_name();
  result.split = task.number;
  if (chosen.majority_class) {
    result.predicted = predict_classes(chosen, train, test.matrices(), selection.pairs);
  } else {
    const Model model = detail::model_as_chosen(chosen, train, selection.pairs);
    result.predicted = predict(model, test.matrices(), selection.pairs).labels.codes();
    result.warnings = detail::training_warnings(chosen, model, train, selection.pairs.threads);
  }
  result.accuracy = accuracy_of(result.predicted, test.labels());
  const bool svm = task.method->classifier == Classifier::svm || chosen.model;
  result.theta = svm || !chosen.comparison.learned ? chosen.theta : chosen.comparison.learned->theta();
  result.neighbours_or_c = chosen.neighbours_or_c;
  result.penalty = chosen.penalty;
  result.validation_accuracy = chosen.validation_accuracy;
  result.chosen = chosen.candidates.empty() ? chosen.method.full_name() : chosen.candidates.front().name;
  result.candidates = detail::best_of_each_kind(chosen.candidates);
  result.by_components = chosen.by_components;
  if (chosen.combined) result.kernels = chosen.combined->shares();
  if (chosen.fit && kept != nullptr) *kept = LearnResult{*chosen.comparison.learned, *chosen.fit};
  if (!svm && !other_neighbours.empty()) {
    const std::vector<ChosenMethod> others =
        detail::choose_for_each(train, *task.method, selection, other_neighbours, task.shared);
    for (std::size_t k = 0; k < others.size(); ++k)
      result.by_neighbours[other_neighbours[k]] = predict_classes(others[k], train, test.matrices(), selection.pairs);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::map<std::pair<Index, std::string>, const SplitResult*> by_task(const std::vector<SplitResult>& results) {
  std::map<std::pair<Index, std::string>, const SplitResult*> found;
  for (const SplitResult& result : results) found[{result.split, result.method}] = &result;
  return found;
}

std::vector<Split> first_splits(std::vector<Split> splits, std::optional<Index> wanted) {
  if (!wanted) return splits;
  if (*wanted < 1) throw InvalidInput(fmt::format("first_splits {} must be 1 or more", *wanted));
  splits.resize(std::min(splits.size(), static_cast<std::size_t>(*wanted)));
  return splits;
}

/// Tasks split by split; with several threads, some splits at a time method by method, so that threads seldom work on
/// the same split and wait for what its methods share.
void sort_for_threads(std::vector<std::size_t>& todo, std::size_t methods, std::size_t threads) {
  const auto place = [=](std::size_t task) {
    const std::size_t split = task / methods;
    return std::tuple(split / threads, task % methods, split);
  };
  std::sort(todo.begin(), todo.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
}

/// On the threads of this process.
template <class RunTask>
void run_here(std::vector<std::size_t> todo, const RunTask& run_task, const EvaluationOptions& options,
              std::vector<SplitResult>& results) {
  // Each thread has a task of its own; they share one where there is no other, or where tasks would share a device.
  const bool tasks_in_parallel = todo.size() > 1 && !takes_turns(options.selection.pairs);
  constexpr double long_enough = 1e9;
  const int threads = tasks_in_parallel ? detail::worker_count(options.threads, long_enough) : 1;
  sort_for_threads(todo, options.methods.size(), static_cast<std::size_t>(threads));
  std::mutex reporting;
  bool cancelled = false;
  detail::for_ranges(static_cast<Index>(todo.size()), tasks_in_parallel ? options.threads : 1, long_enough,
                     [&](Index first, Index last) {
                       for (Index k = first; k < last; ++k) {
                         {
                           const std::scoped_lock lock(reporting);
                           if (cancelled) throw Cancelled();
                         }
                         const std::size_t t = todo[static_cast<std::size_t>(k)];
                         results[t] = run_task(t, tasks_in_parallel ? 1 : options.threads, nullptr);
                         const std::scoped_lock lock(reporting);
                         if (options.on_result && !options.on_result(results[t])) cancelled = true;
                         if (cancelled) throw Cancelled();
                       }
                     });
}

/// Whether a method learns subspaces by which it chooses among candidates.
bool shares_transforms(const Method& method, const EvaluationOptions& options) {
  const SelectionOptions selection = detail::selection_for(method, options.selection);
  const bool projects =
      method.best || (method.learning && method.learning->subspace) || selection.project.kind != Projecting::Kind::none;
  return projects && method.outside.empty() && !method.combining &&
         detail::is_chosen_among_candidates(method, selection);
}

/// Whether a method learns kernels, or chooses the settings of a plain one, that others might use too.
bool shares_kernels(const Method& method) {
  return is_from_paper(method) && !method.majority && method.outside.empty() && !method.combining &&
         (method.learning || method.automatic || is_learnable(method.metric));
}

bool shares_learning(const Method& method, const EvaluationOptions& options) {
  return shares_transforms(method, options) || shares_kernels(method);
}

/// What the methods of each split share; none where fewer than two methods could, or ranks have the tasks.
std::vector<detail::SharedLearning> shared_by_split(std::size_t splits, const EvaluationOptions& options) {
  const auto sharing = std::count_if(options.methods.begin(), options.methods.end(),
                                     [&](const Method& method) { return shares_learning(method, options); });
  const bool is_shared = sharing > 1 && options.selection.pairs.team == nullptr;
  return std::vector<detail::SharedLearning>(is_shared ? splits : 0);
}

/// Every task, split by split.
std::vector<EvaluationTask> tasks_of(const std::vector<Split>& splits, const EvaluationOptions& options,
                                     std::vector<detail::SharedLearning>& shared) {
  std::vector<EvaluationTask> tasks;
  for (std::size_t split = 0; split < splits.size(); ++split)
    for (const Method& method : options.methods)
      tasks.push_back({&splits[split], static_cast<Index>(split), &method,
                       !shared.empty() && shares_learning(method, options) ? &shared[split] : nullptr});
  return tasks;
}

/// Puts the finished results where they belong and returns the tasks that are left, method by method: the splits of
/// one method take equally long.
std::vector<std::size_t> tasks_left(const Dataset& data, const EvaluationOptions& options,
                                    const std::vector<EvaluationTask>& tasks, Evaluation& evaluation) {
  const auto finished = by_task(options.finished);
  std::vector<std::size_t> left;
  for (std::size_t m = 0; m < options.methods.size(); ++m)
    for (std::size_t t = m; t < tasks.size(); t += options.methods.size()) {
      const auto known = finished.find({tasks[t].number, tasks[t].method->full_name()});
      if (known == finished.end()) {
        left.push_back(t);
        continue;
      }
      SplitResult& result = evaluation.results[t] = *known->second;
      const Split& split = evaluation.splits[static_cast<std::size_t>(result.split)];
      result.accuracy = accuracy_of(result.predicted, data.labels().select(split.test));
    }
  return left;
}

void compute(const Dataset& data, const EvaluationOptions& options, Evaluation& evaluation,
             std::vector<std::optional<LearnResult>>& kernels) {
  std::vector<detail::SharedLearning> shared = shared_by_split(evaluation.splits.size(), options);
  const std::vector<EvaluationTask> tasks = tasks_of(evaluation.splits, options, shared);
  evaluation.results.resize(tasks.size());
  kernels.resize(tasks.size());
  std::vector<std::size_t> left = tasks_left(data, options, tasks, evaluation);
  const auto run_task = [&](std::size_t t, int threads, const Team* inside) {
    return detail::result_of(data, tasks[t], options, threads, inside, &kernels[t]);
  };
  if (const Team* const team = options.selection.pairs.team)
    detail::run_over_ranks({.team = *team,
                            .threads = options.threads,
                            .one_at_a_time = takes_turns(options.selection.pairs),
                            .run = run_task,
                            .on_result = options.on_result},
                           left, evaluation.results);
  else
    run_here(std::move(left), run_task, options, evaluation.results);
}

/// How far an evaluation is, by the time that its results have taken.
class WorkDone {
 public:
  explicit WorkDone(const EvaluationOptions::Plan& plan)
      : progress_{.done = plan.finished, .all = plan.splits * plan.methods}, methods_(plan.methods) {}

  const EvaluationOptions::Progress& add(const SplitResult& result) {
    Taken& taken = by_method_[result.method];
    ++taken.results;
    taken.seconds += result.seconds;
    ++progress_.done;
    double done = 0, of_each = 0;
    for (const auto& [method, one] : by_method_) {
      done += one.seconds;
      of_each += one.seconds / static_cast<double>(one.results * methods_);
    }
    const bool is_known = static_cast<Index>(by_method_.size()) == methods_;
    const auto left = static_cast<double>(progress_.all - progress_.done);
    progress_.share = is_known && done > 0 ? done / (done + of_each * left) : 0;
    return progress_;
  }

 private:
  struct Taken {
    Index results = 0;
    double seconds = 0;
  };
  std::map<std::string, Taken> by_method_;
  EvaluationOptions::Progress progress_;
  Index methods_;
};

EvaluationOptions::Plan plan_of(const EvaluationOptions& options, const Evaluation& evaluation) {
  EvaluationOptions::Plan plan;
  plan.splits = static_cast<Index>(evaluation.splits.size());
  plan.methods = static_cast<Index>(options.methods.size());
  for (const Method& method : options.methods)
    plan.kernels += plan.splits * kernels_to_learn(method, evaluation.dim, options.selection);
  plan.finished = static_cast<Index>(options.finished.size());
  return plan;
}

Evaluation evaluate_all(const Dataset& given_data, const EvaluationOptions& given) {
  detail::require_two_classes(given_data.labels());
  EvaluationOptions options = given;
  Mean::Stop stop{};
  const Dataset data = detail::evaluated_data(given_data, options.selection.recentre, options.threads, &stop);
  Evaluation evaluation = detail::evaluation_before_results(data, options, stop);
  const detail::Json settings = detail::settings_json(given_data, options);
  evaluation.settings = settings.dump();
  detail::ResultsFile file(options.results_file, settings, options.methods, options.selection.pairs.team);
  options.finished.insert(options.finished.end(), file.finished().begin(), file.finished().end());
  detail::check_methods(options);
  detail::check_finished(data, options.finished, evaluation.splits);
  const EvaluationOptions::Plan plan = plan_of(options, evaluation);
  WorkDone work(plan);
  options.on_result = [&](const SplitResult& result) {
    file.add(result);
    const EvaluationOptions::Progress& progress = work.add(result);
    return (!given.on_result || given.on_result(result)) && (!given.on_progress || given.on_progress(progress));
  };
  if (options.on_start) options.on_start(plan);

  std::vector<std::optional<LearnResult>> kernels;
  compute(data, options, evaluation, kernels);
  detail::summarise_methods(data, options.methods, evaluation);
  file.finish(evaluation);
  if (!options.keep_kernel) return evaluation;
  evaluation.kernel = detail::first_evaluated_kernel(data, options, evaluation, kernels);
  evaluation.subspace = detail::first_evaluated_subspace(data, options, evaluation);
  if (evaluation.subspace) file.finish(evaluation);
  return evaluation;
}

}  // namespace

namespace detail {

Evaluation evaluation_before_results(const Dataset& data, const EvaluationOptions& options, Mean::Stop means) {
  Evaluation evaluation;
  evaluation.samples = data.size();
  evaluation.dim = data.dim();
  if (data.has_groups())
    evaluation.groups = std::ssize(std::set<int>(data.groups().codes().begin(), data.groups().codes().end()));
  evaluation.channels = data.channels();
  evaluation.class_names = data.labels().names();
  evaluation.classes = data.labels().codes();
  evaluation.protocol = options.protocol;
  if (options.protocol.kind != Protocol::Kind::given) evaluation.warnings = group_warnings(data);
  for (std::string& sentence : mean_warnings("a mean by which groups are recentred", means))
    evaluation.warnings.push_back(std::move(sentence));
  evaluation.splits = first_splits(make_splits(data, options.protocol, options.seed), options.first_splits);
  return evaluation;
}

void check_methods(const EvaluationOptions& options) {
  if (options.methods.empty()) throw InvalidInput("no methods to evaluate");
  std::set<std::string> names;
  for (const Method& method : options.methods)
    if (!names.insert(method.full_name()).second)
      throw InvalidInput(fmt::format("method {} is named twice", method.full_name()));
  check_combining(options.methods, options.selection);
}

Dataset evaluated_data(const Dataset& data, Recentring recentre, int threads, Mean::Stop* stop) {
  if (stop != nullptr) *stop = Mean::Stop::closed_form;
  return recentre == Recentring::groups ? recentred_by_groups(data, threads, stop) : data;
}

SplitResult result_of(const Dataset& data, const EvaluationTask& task, const EvaluationOptions& options, int threads,
                      const Team* inside, std::optional<LearnResult>* kernel) {
  SelectionOptions selection = selection_for(*task.method, options.selection);
  selection.pairs.threads = threads;
  selection.pairs.team = inside;
  return in_context([&] { return fmt::format("{} on split {}", task.method->full_name(), task.number + 1); },
                    [&] { return run(data, task, selection, options.other_neighbours, kernel); });
}

}  // namespace detail

Evaluation evaluate(const Dataset& data, const EvaluationOptions& options) {
  return evaluate_all(data, options);
}

}  // namespace dsk
