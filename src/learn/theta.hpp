#pragma once

#include "learn/objective.hpp"

namespace dsk::detail {

/// The best theta (and C) by the criterion of the plain kernel; keeps what the options give. Throws InvalidInput if the
/// criterion is finite nowhere.
PlainKernel search_plain_kernel(Composition& composition, const SpdBatch& x, const FitOptions& options);

}  // namespace dsk::detail
