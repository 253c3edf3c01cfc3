#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "machine/messages.hpp"

namespace dsk::detail {

/// Whether the work was done. A candidate that fails on a fold, where its criterion is undefined, say, or matrices
/// leave the range of double, has no hits there. Any other invalid input is the caller's mistake.
template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const NumericalFailure&) {
    return false;
  } catch (const UndefinedForData&) {
    return false;
  }
}

/// A training part and a test part, and what candidates share on them: means, decompositions, subspaces and pair values
/// are computed once.
class FoldWork {
 public:
  FoldWork(const Dataset& train, const Dataset& test, const CandidateOptions& options);

  /// For each candidate whether each test matrix is classified correctly. Nothing of the test part but its matrices is
  /// used for that.
  std::vector<Hits> hits(std::span<const Candidate> candidates);

  /// The class scores of each test matrix, as class_scores has them for the trained candidate; of a ladder the sum of
  /// scores that are centred and divided by their deviation. Throws NumericalFailure or UndefinedForData for a
  /// candidate that fails here. Not for averages.
  Matrix scores(const Candidate& candidate);

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
  static View view_of(const Candidate& candidate);
  View rung_view(Index components) const;

  /// At the mean of the training part, projected to so many components; 0: as it is.
  const TangentRows& tangent(Index components);
  const LinearModel& logistic(Index components, double c);
  Pairs pairs_of(const View& view);

  Hits hits_of_scores(const Matrix& scores) const;
  Matrix mdm_scores(const Candidate& candidate);
  Matrix pair_scores(const Candidate& candidate);
  Matrix svm_scores(const Matrix& train, const Matrix& test, double c) const;
  Matrix ladder_scores(const Candidate& candidate, Matrix sum);
  /// Scores those at these positions, which all project to so many components.
  void score_tangent(Index components, std::span<const Candidate> candidates, const std::vector<std::size_t>& own,
                     std::vector<Hits>& hits);
  void score_view(const Pairs& pairs, std::span<const Candidate> candidates, const std::vector<std::size_t>& own,
                  std::vector<Hits>& hits);
  Matrix rung_scores(const Pairs& pairs, double relative_theta) const;
  Index classes() const { return static_cast<Index>(train_.labels().names().size()); }

  Dataset train_;
  Dataset test_;
  CandidateOptions options_;
  CandidateTransforms transforms_;
  std::map<Index, TangentRows> tangent_;                      ///< by components
  std::map<std::pair<Index, double>, LinearModel> logistic_;  ///< by components and C
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

/// The folds of all repetitions whose training parts have two classes. Throws InvalidInput if there are none.
std::vector<Split> folds_of_race(const Dataset& train, const RaceOptions& options);

/// Calls visit(position, work) for each of the folds: side by side where there are several, each on one thread.
void visit_folds(const Dataset& train, std::span<const Split> folds, const CandidateOptions& work,
                 const std::function<void(std::size_t, FoldWork&)>& visit);

/// All candidates scored by repeated cross-validation, in which everything is learned without the held-out fold, the
/// best first; of equally good ones the one that was named first. A candidate that is clearly behind the best, by
/// three standard errors of the paired difference, is not scored on further folds.
std::vector<ScoredCandidate> race(const Dataset& train, const std::vector<Candidate>& candidates,
                                  const CandidateOptions& work, const RaceOptions& options);

/// The sum of the members' class scores on the folds of the race, each centred per matrix and divided by a scale: its
/// inverse is the factor for which the softmax of the held-out scores makes the true classes likeliest. A member that
/// fails on a fold, or whose scores say nothing, is left out. The scales are for the sum as well: its softmax are
/// probabilities. None where fewer than two members are left.
std::optional<ScoredCandidate> average_of_members(const Dataset& train, const std::vector<Candidate>& members,
                                                  const CandidateOptions& work, const RaceOptions& options);

}  // namespace dsk::detail
