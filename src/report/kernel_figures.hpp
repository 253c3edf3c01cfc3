#pragma once

#include <dsk/evaluate.hpp>

#include "report/report.hpp"

namespace dsk::pages {

/// An evaluated kernel: its alpha, how its objective grew, and test matrices before and after adjusting, as kernel
/// matrices and in two dimensions.
void add_kernel_figures(Page& page, const EvaluatedKernel& kernel, const std::vector<std::string>& class_names);

}  // namespace dsk::pages
