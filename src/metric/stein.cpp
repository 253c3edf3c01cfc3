#include <dsk/pairs/stein.hpp>

#include "metric/metrics.hpp"

namespace dsk::detail {

SquaredDistances stein(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  return {y ? pair_matrix(x, *y, PairQuantity::divergence, options.pairs)
            : pair_matrix(x, PairQuantity::divergence, options.pairs)};
}

}  // namespace dsk::detail
