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

}  // namespace dsk::detail
