#pragma once

#include <map>
#include <optional>

#include "evaluate/candidate.hpp"

namespace dsk::detail {

/// What candidates do to matrices before they compare them, learned from one training set: its mean and its subspaces
/// are computed once, when they are first asked for.
class CandidateTransforms {
 public:
  CandidateTransforms(Dataset train, const CandidateOptions& options);

  /// The Riemannian mean of the training set.
  const Matrix& mean();
  /// Learned on the training set, or a sample of it.
  const Projection& subspace(Index components);
  /// The projection to a subspace, whitening by the mean, or nothing.
  Transform before(bool recentred, Index components);

 private:
  Dataset train_;
  CandidateOptions options_;
  std::optional<Matrix> mean_;
  std::optional<SubspaceLearner> learner_;
  std::map<Index, Projection> subspaces_;
};

}  // namespace dsk::detail
