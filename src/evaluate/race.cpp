#include "evaluate/race.hpp"

#include <dsk/evaluate.hpp>

#include <algorithm>
#include <mutex>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"

namespace dsk::detail {
namespace {

/// By how many standard errors of the paired difference a candidate must be behind to be left out.
constexpr double clearly_behind = 3;

bool has_two_classes(const Labels& labels, const std::vector<Index>& members) {
  return std::any_of(members.begin(), members.end(), [&](Index i) { return labels[i] != labels[members.front()]; });
}

std::uint64_t repeats(const RaceOptions& options) {
  return options.given_folds.empty() ? static_cast<std::uint64_t>(options.repeats) : 1;
}

class Race {
 public:
  Race(const Dataset& train, const std::vector<Candidate>& candidates, const CandidateOptions& work,
       const RaceOptions& options)
      : train_(train), work_(work), options_(options), splits_(folds_of_race(train, options)) {
    for (const Candidate& candidate : candidates) scored_.push_back({.candidate = candidate});
    racing_.assign(scored_.size(), true);
  }

  std::vector<ScoredCandidate> run() {
    // One fold alone shows who is far behind; then whole rounds of cross-validation.
    const std::size_t all = splits_.size();
    std::size_t first = 0;
    for (const std::size_t last : {std::size_t{1}, all / repeats(options_), all}) {
      if (last <= first) continue;
      run_folds(first, last);
      first = last;
      if (last < all) leave_behind();
    }
    for (ScoredCandidate& one : scored_) one.accuracy = share(one.hits, one.weights);
    std::stable_sort(scored_.begin(), scored_.end(), [](const ScoredCandidate& a, const ScoredCandidate& b) {
      return a.folds != b.folds ? a.folds > b.folds : a.accuracy > b.accuracy;
    });
    return std::move(scored_);
  }

 private:
  /// Scores the candidates that are still in the race on some of the folds.
  void run_folds(std::size_t first, std::size_t last) {
    std::vector<Candidate> left;
    std::vector<std::size_t> positions;
    for (std::size_t k = 0; k < scored_.size(); ++k) {
      if (!racing_[k]) continue;
      left.push_back(scored_[k].candidate);
      positions.push_back(k);
    }
    std::vector<std::vector<Hits>> found(last - first);
    std::mutex reporting;
    visit_folds(train_, std::span(splits_).subspan(first, last - first), work_, [&](std::size_t f, FoldWork& work) {
      found[f] = work.hits(left);
      const std::scoped_lock lock(reporting);
      if (options_.on_progress && !options_.on_progress(++done_, static_cast<int>(splits_.size()))) throw Cancelled();
    });
    for (std::size_t f = 0; f < found.size(); ++f) {
      const std::vector<double> weights = scored_weights(train_, {splits_[first + f]});
      for (std::size_t m = 0; m < positions.size(); ++m) {
        ScoredCandidate& one = scored_[positions[m]];
        one.hits.insert(one.hits.end(), found[f][m].begin(), found[f][m].end());
        one.weights.insert(one.weights.end(), weights.begin(), weights.end());
        ++one.folds;
      }
    }
  }

  static double share_of(const ScoredCandidate& one) { return share(one.hits, one.weights); }

  void leave_behind() {
    const ScoredCandidate* leader = nullptr;
    for (std::size_t k = 0; k < scored_.size(); ++k)
      if (racing_[k] && (leader == nullptr || share_of(scored_[k]) > share_of(*leader))) leader = &scored_[k];
    for (std::size_t k = 0; k < scored_.size(); ++k)
      if (racing_[k] && gain(leader->hits, scored_[k].hits, leader->weights) > clearly_behind) racing_[k] = false;
  }

  const Dataset& train_;
  const CandidateOptions& work_;
  const RaceOptions& options_;
  std::vector<Split> splits_;
  std::vector<ScoredCandidate> scored_;
  std::vector<bool> racing_;
  int done_ = 0;
};

}  // namespace

std::vector<Split> folds_of_race(const Dataset& train, const RaceOptions& options) {
  std::vector<Split> folds;
  for (std::uint64_t repeat = 0; repeat < repeats(options); ++repeat)
    for (Split& split : folds_of(train, options.given_folds, options.folds, options.seed + 7919 * repeat))
      if (has_two_classes(train.labels(), split.train)) folds.push_back(std::move(split));
  if (folds.empty())
    throw InvalidInput("cross-validation leaves no training part with two classes; use more matrices or groups");
  return folds;
}

void visit_folds(const Dataset& train, std::span<const Split> folds, const CandidateOptions& work,
                 const std::function<void(std::size_t, FoldWork&)>& visit) {
  // A fold alone has all threads for itself.
  const bool side_by_side = folds.size() > 1 && !takes_turns(work.pairs) && work.pairs.team == nullptr;
  constexpr double long_enough = 1e9;
  for_ranges(std::ssize(folds), side_by_side ? work.pairs.threads : 1, long_enough, [&](Index from, Index to) {
    for (Index f = from; f < to; ++f) {
      CandidateOptions own = work;
      if (side_by_side) own.pairs.threads = 1;
      const Split& fold = folds[static_cast<std::size_t>(f)];
      FoldWork one(train.select(fold.train), train.select(fold.test), own);
      visit(static_cast<std::size_t>(f), one);
    }
  });
}

std::vector<ScoredCandidate> race(const Dataset& train, const std::vector<Candidate>& candidates,
                                  const CandidateOptions& work, const RaceOptions& options) {
  return Race(train, candidates, work, options).run();
}

}  // namespace dsk::detail
