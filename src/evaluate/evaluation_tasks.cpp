// The tasks of an evaluation: dealt out to ranks, and saved to a file as they finish.

#include "evaluate/evaluate.hpp"

#include <dsk/files.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "machine/parallel.hpp"

namespace dsk::detail {

ResultsFile::ResultsFile(std::filesystem::path file, Json settings, const std::vector<Method>& methods,
                         const Team* team)
    : file_(std::move(file)), settings_(std::move(settings)), team_(team) {
  if (file_.empty()) return;
  const auto lock_and_read = [this] {
    store_.emplace(file_, [this] { return kept_.dump() + "\n"; });
    return read();
  };
  std::vector<SplitResult> known;
  if (team_ == nullptr) {
    known = lock_and_read();
  } else {
    // Read by rank 0 for all: while others still read, it might already write.
    Json sent = Json::array();
    on_rank_zero(team_, [&] { sent = to_json(lock_and_read()); });
    known = split_results_from(Json::parse(team_->gather(sent.dump()).front()));
  }
  for (SplitResult& result : known) {
    const bool asked = std::any_of(methods.begin(), methods.end(),
                                   [&](const Method& method) { return method.full_name() == result.method; });
    (asked ? finished_ : others_).push_back(std::move(result));
  }
  kept_ = {{"settings", settings_}, {"splits", to_json(finished_)}};
  for (const SplitResult& result : others_) kept_["splits"].push_back(to_json(result));
}

std::vector<SplitResult> ResultsFile::read() const {
  const std::optional<Json> found = existing_json(file_, "evaluation");
  if (!found) return {};
  try {
    // Methods may be added or removed: each result stands by itself.
    Json known = found->at("settings"), wanted = settings_;
    known.erase("methods");
    wanted.erase("methods");
    if (known != wanted)
      throw InvalidInput(
          fmt::format("{}: holds results of other data or settings; remove it or choose another name", file_.string()));
    return split_results_from(found->at("splits"));
  } catch (const Json::exception&) {
    throw not_such_a_file(file_, "evaluation");
  }
}

void ResultsFile::add(const SplitResult& result) {
  if (store_) store_->change([&] { kept_["splits"].push_back(to_json(result)); });
}

void ResultsFile::finish(const Evaluation& evaluation) {
  if (file_.empty()) return;
  on_rank_zero(team_, [&] {
    Json json = Json::parse(as_json(evaluation));
    for (const SplitResult& result : others_) json["splits"].push_back(to_json(result));
    store_->change_and_save([&] { kept_ = std::move(json); });
  });
}

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
