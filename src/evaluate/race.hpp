#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"

namespace dsk::detail {

/// A training part and a test part, and what candidates share on them: means, decompositions, subspaces and pair values
/// are computed once.
class FoldWork {
 public:
  FoldWork(const Dataset& train, const Dataset& test, const CandidateOptions& options);

  /// For each candidate whether each test matrix is classified correctly. Nothing of the test part but its matrices is
  /// used for that.
  std::vector<Hits> hits(std::span<const Candidate> candidates);

 private:
  /// Squared distances of the training part with itself and of the test part with it.
  struct Pairs {
    Matrix train;
    Matrix test;
    double median = 0;
    Index dim = 0;
  };
  struct TangentRows {
    Matrix train;
    Matrix test;
  };
  using View = std::tuple<Metric, double, bool, Index, bool>;  ///< metric, zeta, recentred, components, adjusted

  const TangentRows& tangent();
  Pairs pairs_of(const View& view);

  Hits hits_of(const std::vector<int>& predicted) const;
  Hits hits_of_scores(const Matrix& scores) const;
  void score_mdm(const Candidate& candidate, Hits& hits);
  void score_tangent(std::span<const Candidate> candidates, std::vector<Hits>& hits);
  void score_view(const Pairs& pairs, std::span<const Candidate> candidates, const std::vector<std::size_t>& own,
                  std::vector<Hits>& hits);
  Matrix rung_scores(const Pairs& pairs, double relative_theta) const;
  void score_ladders(std::span<const Candidate> candidates, const std::vector<std::size_t>& own,
                     const std::map<double, Matrix>& sums, std::vector<Hits>& hits);
  Index classes() const { return static_cast<Index>(train_.labels().names().size()); }

  Dataset train_;
  Dataset test_;
  CandidateOptions options_;
  CandidateTransforms transforms_;
  std::optional<TangentRows> tangent_;
};

struct ScoredCandidate {
  Candidate candidate;
  double accuracy = 0;               ///< over all folds that it was scored on
  Index folds = 0;                   ///< fewer than all for one that fell behind
  Hits hits = {};                    ///< fold after fold
  std::vector<double> weights = {};  ///< of the matrices that were scored; empty: all 1
};

struct RaceOptions {
  Index folds = 4;
  Index repeats = 2;
  std::vector<Split> given_folds = {};  ///< in place of `folds` and `repeats`
  std::uint64_t seed = 0;
  std::function<bool(int done, int total)> on_progress = {};  ///< called after each fold; false stops with Cancelled
};

/// All candidates scored by repeated cross-validation, in which everything is learned without the held-out fold, the
/// best first; of equally good ones the one that was named first. A candidate that is clearly behind the best, by
/// three standard errors of the paired difference, is not scored on further folds.
std::vector<ScoredCandidate> race(const Dataset& train, const std::vector<Candidate>& candidates,
                                  const CandidateOptions& work, const RaceOptions& options);

}  // namespace dsk::detail
