#include <dsk/engine.hpp>
#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/engine.hpp"

namespace dsk {

LearnedKernel::LearnedKernel(EigenvalueAdjustment adjustment, double theta)
    : adjustment_(std::move(adjustment)), theta_(theta) {
  adjustment_.check();
  if (!(theta > 0 && std::isfinite(theta)))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", theta));
}

LearnedKernel LearnedKernel::plain(Index dim, double theta) {
  if (dim < 1) throw InvalidInput(fmt::format("matrix size {} is below 1", dim));
  return {EigenvalueAdjustment::none(dim), theta};
}

SpdBatch LearnedKernel::adjust(const SpdBatch& x, int threads) const {
  if (x.dim() == dim() && adjustment_.is_none()) return x;
  return dsk::adjust(x, adjustment_, threads);
}

Matrix divergence_matrix(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options) {
  return pair_matrix(kernel.adjust(x, options.threads), PairQuantity::divergence, options);
}

Matrix divergence_matrix(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                         const PairOptions& options) {
  return pair_matrix(kernel.adjust(x, options.threads), kernel.adjust(y, options.threads), PairQuantity::divergence,
                     options);
}

Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options) {
  Matrix result = divergence_matrix(kernel, x, options);
  exponential_in_place(result, -kernel.theta(), options.threads);
  return result;
}

Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y, const PairOptions& options) {
  Matrix result = divergence_matrix(kernel, x, y, options);
  exponential_in_place(result, -kernel.theta(), options.threads);
  return result;
}

}  // namespace dsk
