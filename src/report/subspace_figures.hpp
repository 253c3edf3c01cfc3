#pragma once

#include <dsk/evaluate.hpp>

#include "report/report.hpp"

namespace dsk::pages {

/// An evaluated subspace: the patterns of its components, and test matrices before and after the projection in two
/// dimensions.
void add_subspace_figures(Page& page, const EvaluatedSubspace& subspace, const std::vector<std::string>& class_names);

}  // namespace dsk::pages
