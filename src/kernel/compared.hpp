#pragma once

#include <dsk/kernel/comparison.hpp>

#include "metric/metrics.hpp"

namespace dsk::detail {

/// Of x with itself if y is null. In the order of the true squared distances even where these leave double's range.
SquaredDistances compare(const ComparedBatch& x, const ComparedBatch* y, const PairOptions& options);

}  // namespace dsk::detail
