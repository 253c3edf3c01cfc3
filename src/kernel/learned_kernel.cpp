#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"

namespace dsk {

LearnedKernel::LearnedKernel(EigenvalueAdjustment adjustment, double theta)
    : LearnedKernel(Transform(), std::move(adjustment), theta) {}

LearnedKernel::LearnedKernel(const Transform& before, EigenvalueAdjustment adjustment, double theta, Metric metric,
                             double zeta)
    : transform_(before.then(Transform(std::move(adjustment)))), theta_(theta), metric_(metric), zeta_(zeta) {
  if (!is_learnable(metric))
    throw InvalidInput(fmt::format("kernels by the metric {} cannot be learned; use one of {}", name(metric),
                                   learnable_metric_choices()));
  if (metric == Metric::powereuclidean && !(zeta > 0 && std::isfinite(zeta)))
    throw InvalidInput(fmt::format("zeta {} must be finite and above 0", zeta));
  for (const Transform::Step& step : before.steps())
    if (!std::holds_alternative<Projection>(step))
      throw InvalidInput("a kernel adjusts eigenvalues after all projections, not before one");
  if (!(theta > 0 && std::isfinite(theta)))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", theta));
}

LearnedKernel LearnedKernel::plain(Index dim, double theta, Metric metric, double zeta) {
  if (dim < 1) throw InvalidInput(fmt::format("matrix size {} is below 1", dim));
  return {Transform(), EigenvalueAdjustment::none(dim), theta, metric, zeta};
}

LearnedKernel LearnedKernel::with_theta(double theta) const {
  return {before(), adjustment(), theta, metric_, zeta_};
}

const EigenvalueAdjustment& LearnedKernel::adjustment() const {
  return std::get<EigenvalueAdjustment>(transform_.steps().back());
}

Transform LearnedKernel::before() const {
  Transform result;
  for (const Transform::Step& step : transform_.steps())
    if (const auto* const projection = std::get_if<Projection>(&step)) result = result.then(Transform(*projection));
  return result;
}

Index LearnedKernel::dim() const {
  return std::visit([](const auto& step) { return step.dim(); }, transform_.steps().front());
}

SpdBatch LearnedKernel::adjust(const SpdBatch& x, int threads) const {
  if (detail::only_scales(*this)) return dsk::adjust(before().apply(x, threads), adjustment(), threads);
  return transform_.apply(x, threads);
}

bool detail::only_scales(const LearnedKernel& kernel) {
  return kernel.metric() != Metric::stein && kernel.adjustment().is_none() && kernel.adjustment().scale != 1;
}

Matrix pairwise_divergences(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options) {
  if (kernel.metric() != Metric::stein) return pairwise_squared_distances(comparison_by(kernel), x, options);
  return PairSweep(kernel.adjust(x, options.threads), options).divergences();
}

Matrix pairwise_divergences(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                            const PairOptions& options) {
  if (kernel.metric() != Metric::stein) return pairwise_squared_distances(comparison_by(kernel), x, y, options);
  return PairSweep(kernel.adjust(x, options.threads), kernel.adjust(y, options.threads), options).divergences();
}

Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options) {
  Matrix result = pairwise_divergences(kernel, x, options);
  exponential_in_place(result, -kernel.theta(), options.threads);
  return result;
}

Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y, const PairOptions& options) {
  Matrix result = pairwise_divergences(kernel, x, y, options);
  exponential_in_place(result, -kernel.theta(), options.threads);
  return result;
}

}  // namespace dsk
