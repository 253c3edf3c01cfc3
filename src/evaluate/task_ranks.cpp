#include "evaluate/task_ranks.hpp"

#include <algorithm>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"

namespace dsk::detail {
namespace {

void put(engine::Parcel& parcel, const SplitResult& result) {
  parcel.put_all(std::span<const char>(result.method)).put(result.split);
  parcel.put_all(std::span<const int>(result.predicted)).put(result.theta).put(result.setting).put(result.penalty);
  parcel.put(result.accuracy)
      .put(result.validation_accuracy)
      .put_all(std::span<const char>(result.chosen))
      .put(result.seconds);
  parcel.put(result.by_neighbours.size());
  for (const auto& [neighbours, predicted] : result.by_neighbours)
    parcel.put(neighbours).put_all(std::span<const int>(predicted));
}

SplitResult take(engine::OpenParcel& parcel) {
  SplitResult result;
  result.method = parcel.take_text();
  result.split = parcel.take<Index>();
  result.predicted = parcel.take_all<int>();
  result.theta = parcel.take<double>();
  result.setting = parcel.take<double>();
  result.penalty = parcel.take<double>();
  result.accuracy = parcel.take<double>();
  result.validation_accuracy = parcel.take<double>();
  result.chosen = parcel.take_text();
  result.seconds = parcel.take<double>();
  for (auto count = parcel.take<std::size_t>(); count > 0; --count) {
    const auto neighbours = parcel.take<Index>();
    result.by_neighbours[neighbours] = parcel.take_all<int>();
  }
  return result;
}

/// Every `step`-th task from `first` on.
std::vector<std::size_t> every(std::span<const std::size_t> tasks, int first, int step) {
  std::vector<std::size_t> chosen;
  for (auto k = static_cast<std::size_t>(first); k < tasks.size(); k += static_cast<std::size_t>(step))
    chosen.push_back(tasks[k]);
  return chosen;
}

void exchange(const Team& team, std::span<const std::size_t> tasks, std::vector<SplitResult>& results) {
  engine::Parcel mine;
  for (const std::size_t t : every(tasks, team.rank(), team.size())) put(mine, results[t]);
  const std::vector<std::string> parcels = team.gather(mine.bytes());
  for (int from = 0; from < team.size(); ++from) {
    engine::OpenParcel parcel(parcels[static_cast<std::size_t>(from)]);
    for (const std::size_t t : every(tasks, from, team.size())) results[t] = take(parcel);
  }
}

void tell(const RankedTasks& how, std::span<const std::size_t> tasks, const std::vector<SplitResult>& results) {
  bool stop = false;
  at_first(&how.team, [&] {
    for (const std::size_t t : tasks) stop = stop || (how.on_result && !how.on_result(results[t]));
  });
  if (!how.team.gather(stop ? "stop" : "").front().empty()) throw Cancelled();
}

}  // namespace

void run_over_ranks(const RankedTasks& how, std::span<const std::size_t> todo, std::vector<SplitResult>& results) {
  const auto ranks = static_cast<std::size_t>(how.team.size());
  if (todo.size() < ranks) {
    for (const std::size_t t : todo) {
      results[t] = how.run(t, how.threads, &how.team);
      tell(how, {&t, 1}, results);
    }
    return;
  }
  constexpr double long_enough = 1e9;
  // Ranks may have different numbers of cores.
  double width = how.one_at_a_time ? 1 : worker_count(how.threads, long_enough);
  how.team.smallest({&width, 1});
  const std::size_t of_a_turn = ranks * static_cast<std::size_t>(width);
  for (std::size_t begin = 0; begin < todo.size(); begin += of_a_turn) {
    const auto turn = todo.subspan(begin, std::min(of_a_turn, todo.size() - begin));
    const std::vector<std::size_t> mine = every(turn, how.team.rank(), how.team.size());
    const bool one_each = turn.size() <= ranks;
    together(&how.team, [&] {
      for_ranges(static_cast<Index>(mine.size()), one_each ? 1 : how.threads, long_enough,
                 [&](Index first, Index last) {
                   for (Index k = first; k < last; ++k) {
                     const std::size_t t = mine[static_cast<std::size_t>(k)];
                     results[t] = how.run(t, one_each ? how.threads : 1, nullptr);
                   }
                 });
    });
    exchange(how.team, turn, results);
    tell(how, turn, results);
  }
}

}  // namespace dsk::detail
