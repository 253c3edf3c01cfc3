#include <dsk/engine.hpp>
#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/engine.hpp"

namespace dsk {

LearnedKernel::LearnedKernel(EigenvalueAdjustment adjustment, double theta)
    : transform_(std::move(adjustment)), theta_(theta) {
  if (!(theta > 0 && std::isfinite(theta)))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", theta));
}

LearnedKernel LearnedKernel::plain(Index dim, double theta) {
  if (dim < 1) throw InvalidInput(fmt::format("matrix size {} is below 1", dim));
  return {EigenvalueAdjustment::none(dim), theta};
}

const EigenvalueAdjustment& LearnedKernel::adjustment() const {
  return std::get<EigenvalueAdjustment>(transform_.steps().front());
}

SpdBatch LearnedKernel::adjust(const SpdBatch& x, int threads) const {
  return transform_.apply(x, threads);
}

Matrix divergence_matrix(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options) {
  return PairSweep(kernel.adjust(x, options.threads), options).divergences();
}

Matrix divergence_matrix(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                         const PairOptions& options) {
  return PairSweep(kernel.adjust(x, options.threads), kernel.adjust(y, options.threads), options).divergences();
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
