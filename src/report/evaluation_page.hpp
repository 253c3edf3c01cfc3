#pragma once

#include <dsk/evaluate.hpp>

#include "report/report.hpp"

namespace dsk::pages {

/// What `auto` chose on each split and the runners-up of the first one, and the accuracy in cross-validation against
/// the size of the subspace for every method that tried several sizes.
void add_choices(Page& page, const Evaluation& evaluation);

/// For each class, its matrices that were in a test part and what this method predicted for them; empty if the result
/// does not know the classes of its matrices.
std::vector<std::vector<PredictedMatrix>> matrices_by_class(const Evaluation& evaluation, const MethodResult& method);

/// Points (rows, two columns) coloured by class.
Scatter scatter(const std::string& caption, const Matrix& points, const std::vector<int>& classes);

/// An evaluated kernel: its alpha, how its objective grew, and test matrices before and after adjusting, as kernel
/// matrices and in two dimensions.
void add_kernel_figures(Page& page, const EvaluatedKernel& kernel, const std::vector<std::string>& class_names);

/// An evaluated subspace: the patterns of its components, and test matrices before and after the projection in two
/// dimensions.
void add_subspace_figures(Page& page, const EvaluatedSubspace& subspace, const std::vector<std::string>& class_names);

}  // namespace dsk::pages
