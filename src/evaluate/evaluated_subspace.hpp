#pragma once

#include <dsk/evaluate.hpp>

#include <optional>
#include <vector>

namespace dsk::detail {

/// The first candidate of each kind, at most ten. Of the same kind are those that differ in their settings, which are
/// named behind a comma, but not in the number of components.
std::vector<CandidateScore> best_of_each_kind(const std::vector<CandidateScore>& candidates);

/// The best candidate for each number of components, which ascends. One that was scored on more folds is better.
std::vector<CandidateScore> best_by_components(const std::vector<CandidateScore>& candidates);

/// The subspace of the first result that projects, learned again as it was for that result, with the pictures of its
/// test matrices.
std::optional<EvaluatedSubspace> first_subspace(const Dataset& data, const EvaluationOptions& options,
                                                const Evaluation& evaluation);

}  // namespace dsk::detail
