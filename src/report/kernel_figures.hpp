#pragma once

#include <dsk/evaluate.hpp>

#include "report/report.hpp"

namespace dsk::pages {

/// The learned kernel of the first split that has one: its alpha, how its objective grew, and the split's test matrices
/// before and after, as kernel matrices and in two dimensions. Nothing if no kernel was learned.
void add_kernel_figures(Page& page, const Dataset& data, const Evaluation& evaluation,
                        const EvaluationOptions& options);

}  // namespace dsk::pages
