#pragma once

#include <dsk/engine.hpp>
#include <dsk/evaluate.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace dsk::detail {

/// Tasks of an evaluation for the ranks of a team.
struct RankedTasks {
  const Team& team;
  int threads = 0;             ///< of a rank
  bool one_at_a_time = false;  ///< all threads of a rank share one task, and do not have one each
  /// The result of a task, with so many threads, by this rank alone or, unless null, by all ranks together.
  std::function<SplitResult(std::size_t task, int threads, const Team* inside)> run;
  std::function<bool(const SplitResult&)> on_result;  ///< called by rank 0 alone; false stops all with Cancelled
};

/// Computes results[t] of all tasks t in `todo` for all ranks. Fewer tasks than ranks are done one after the other,
/// each by all ranks; otherwise every rank takes some, in turns: after each turn results are exchanged and reported.
/// The tasks of a turn should take equally long.
void run_over_ranks(const RankedTasks& work, std::span<const std::size_t> todo, std::vector<SplitResult>& results);

}  // namespace dsk::detail
