#pragma once

#include <dsk/evaluate.hpp>

#include <optional>
#include <vector>

namespace dsk::detail {

/// The test matrices to draw: sorted by class, and evenly thinned out to at most 400.
Dataset to_show(const Dataset& test);

/// The kernel of the first result that was adjusted, with the pictures of its test matrices. `kernels` are those that
/// were learned for each result; one that was learned by another rank, or before the run was resumed, is learned again
/// as it was then.
std::optional<EvaluatedKernel> first_kernel(const Dataset& data, const EvaluationOptions& options,
                                            const Evaluation& evaluation,
                                            std::vector<std::optional<LearnResult>>& kernels);

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
