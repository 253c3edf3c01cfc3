#include "engine/engine.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {

Matrix airm(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return y ? pair_squared_airm(x, *y, options) : pair_squared_airm(x, options);
}

}  // namespace dsk::detail
