#include <dsk/engine.hpp>

#include "metric/metric.hpp"

namespace dsk::detail {

Matrix stein(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return y ? pair_matrix(x, *y, PairQuantity::divergence, options) : pair_matrix(x, PairQuantity::divergence, options);
}

}  // namespace dsk::detail
