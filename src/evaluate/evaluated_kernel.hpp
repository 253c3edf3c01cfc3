#pragma once

#include <dsk/evaluate.hpp>

namespace dsk::detail {

/// The first result whose kernel was adjusted, or null.
const SplitResult* first_adjusted(const Evaluation& evaluation);

/// That result's kernel as it was learned, with the pictures of its test matrices. `theta` is the classifier's.
EvaluatedKernel evaluated_kernel(const SplitResult& result, LearnResult learned, const Dataset& test, int threads);

}  // namespace dsk::detail
