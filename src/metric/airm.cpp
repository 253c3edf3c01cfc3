#include <dsk/pairs/airm.hpp>

#include "metric/metrics.hpp"

namespace dsk::detail {

SquaredDistances airm(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  return {y ? pair_squared_airm(x, *y, options.pairs) : pair_squared_airm(x, options.pairs)};
}

}  // namespace dsk::detail
