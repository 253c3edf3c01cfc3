#pragma once

#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "evaluate/candidate_transforms.hpp"
#include "evaluate/validation.hpp"

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
  using View = std::tuple<Metric, double, bool, Index>;  ///< metric, zeta, recentred, components

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

}  // namespace dsk::detail
