#pragma once

#include <dsk/evaluate.hpp>

#include "report/report.hpp"

namespace dsk::pages {

/// Points (rows, two columns) coloured by class.
Scatter scatter(const std::string& caption, const Matrix& points, const std::vector<int>& classes);

/// An evaluated kernel: its alpha, how its objective grew, and test matrices before and after adjusting, as kernel
/// matrices and in two dimensions.
void add_kernel_figures(Page& page, const EvaluatedKernel& kernel, const std::vector<std::string>& class_names);

}  // namespace dsk::pages
