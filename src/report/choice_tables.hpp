#pragma once

#include <dsk/evaluate.hpp>

#include "report/report.hpp"

namespace dsk::pages {

/// What `auto` chose on each split and the runners-up of the first one, and the accuracy in cross-validation against
/// the size of the subspace for every method that tried several sizes.
void add_choices(Page& page, const Evaluation& evaluation);

}  // namespace dsk::pages
