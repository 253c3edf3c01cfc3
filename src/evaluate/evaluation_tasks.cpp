// The tasks of an evaluation, dealt out to ranks.

#include "evaluate/evaluate.hpp"

#include <algorithm>

#include "machine/parallel.hpp"

namespace dsk::detail {

namespace {

/// Every `step`-th task from `first` on.
std::vector<std::size_t> every(std::span<const std::size_t> tasks, int first, int step) {
  std::vector<std::size_t> chosen;
  for (auto k = static_cast<std::size_t>(first); k < tasks.size(); k += static_cast<std::size_t>(step))
    chosen.push_back(tasks[k]);
  return chosen;
}

void exchange(const Team& team, std::span<const std::size_t> tasks, std::vector<SplitResult>& results) {
  Json mine = Json::array();
  for (const std::size_t t : every(tasks, team.rank(), team.size())) mine.push_back(to_json(results[t]));
  const std::vector<std::string> sent = team.gather(mine.dump());
  for (int from = 0; from < team.size(); ++from) {
    const std::vector<SplitResult> theirs = split_results_from(Json::parse(sent[static_cast<std::size_t>(from)]));
    const std::vector<std::size_t> positions = every(tasks, from, team.size());
    for (std::size_t k = 0; k < positions.size(); ++k) results[positions[k]] = theirs[k];
  }
}

void report_progress(const RankedTasks& work, std::span<const std::size_t> tasks,
                     const std::vector<SplitResult>& results) {
  bool stop = false;
  on_rank_zero(&work.team, [&] {
    for (const std::size_t t : tasks) stop = stop || (work.on_result && !work.on_result(results[t]));
  });
  if (!work.team.gather(stop ? "stop" : "").front().empty()) throw Cancelled();
}

}  // namespace

void run_over_ranks(const RankedTasks& work, std::span<const std::size_t> todo, std::vector<SplitResult>& results) {
  const auto ranks = static_cast<std::size_t>(work.team.size());
  if (todo.size() < ranks) {
    for (const std::size_t t : todo) {
      results[t] = work.run(t, work.threads, &work.team);
      report_progress(work, {&t, 1}, results);
    }
    return;
  }
  constexpr double long_enough = 1e9;
  // Ranks may have different numbers of cores.
  double width = work.one_at_a_time ? 1 : worker_count(work.threads, long_enough);
  work.team.smallest({&width, 1});
  const std::size_t of_a_turn = ranks * static_cast<std::size_t>(width);
  for (std::size_t begin = 0; begin < todo.size(); begin += of_a_turn) {
    const auto turn = todo.subspan(begin, std::min(of_a_turn, todo.size() - begin));
    const std::vector<std::size_t> mine = every(turn, work.team.rank(), work.team.size());
    const bool one_each = turn.size() <= ranks;
    together(&work.team, [&] {
      for_ranges(static_cast<Index>(mine.size()), one_each ? 1 : work.threads, long_enough,
                 [&](Index first, Index last) {
                   for (Index k = first; k < last; ++k) {
                     const std::size_t t = mine[static_cast<std::size_t>(k)];
                     results[t] = work.run(t, one_each ? work.threads : 1, nullptr);
                   }
                 });
    });
    exchange(work.team, turn, results);
    report_progress(work, turn, results);
  }
}

}  // namespace dsk::detail
