#pragma once

#include <functional>

#include "evaluate/candidate.hpp"
#include "evaluate/fold_work.hpp"

namespace dsk::detail {

struct ScoredCandidate {
  Candidate candidate;
  double accuracy = 0;  ///< over all folds that it was scored on
  Index folds = 0;      ///< fewer than all for one that fell behind
  Hits hits = {};       ///< fold after fold
};

struct RaceOptions {
  Index folds = 4;
  Index repeats = 2;
  std::uint64_t seed = 0;
  std::function<bool(int done, int total)> on_progress = {};  ///< called after each fold; false stops with Cancelled
};

/// All candidates scored by repeated cross-validation, in which everything is learned without the held-out fold, the
/// best first; of equally good ones the one that was named first. A candidate that is clearly behind the best, by
/// three standard errors of the paired difference, is not scored on further folds.
std::vector<ScoredCandidate> race(const Dataset& train, const std::vector<Candidate>& candidates,
                                  const CandidateOptions& work, const RaceOptions& options);

}  // namespace dsk::detail
