#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "kernel/kernel.hpp"
#include "metric/metric.hpp"

namespace dsk {
namespace {

/// The rows of adjusted matrices, without the matrices themselves where the metric maps eigenvalues.
Matrix learned_rows(const LearnedKernel& kernel, const SpdBatch& batch, int threads) {
  const detail::FlatMap map(kernel.metric(), kernel.zeta(), threads);
  const SpdBatch before = kernel.before().apply(batch, threads);
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  adjustment.check_for(before.dim());
  if (adjustment.is_none() && !detail::only_scales(kernel)) return map.rows(before);
  const EigenBatch eigen = eigen_decompose(before, threads);
  return map.rows(detail::adjusted_log_eigenvalues(eigen.values, adjustment), eigen.vectors);
}

std::variant<SpdBatch, Matrix> prepared(const Comparison& comparison, const SpdBatch& batch, int threads) {
  if (comparison.learned && comparison.metric != comparison.learned->metric())
    throw InvalidInput(fmt::format("the learned kernel compares by {}, not by {}", name(comparison.learned->metric()),
                                   name(comparison.metric)));
  if (comparison.learned && comparison.metric != Metric::stein)
    return learned_rows(*comparison.learned, batch, threads);
  if (comparison.learned) return comparison.learned->adjust(batch, threads);
  if (auto rows = detail::flat_coordinates(
          batch, {.metric = comparison.metric, .zeta = comparison.zeta, .pairs = {.threads = threads}}))
    return *std::move(rows);
  return batch;
}

}  // namespace

Comparison comparison_by(const LearnedKernel& kernel) {
  return {.metric = kernel.metric(), .zeta = kernel.zeta(), .learned = kernel};
}

ComparedBatch::ComparedBatch(const Comparison& comparison, const SpdBatch& batch, int threads)
    : metric_(comparison.metric), dim_(batch.dim()), points_(prepared(comparison, batch, threads)) {}

ComparedBatch::ComparedBatch(Metric metric, Index dim, std::variant<SpdBatch, Matrix> points)
    : metric_(metric), dim_(dim), points_(std::move(points)) {}

Index ComparedBatch::size() const {
  return matrices() ? matrices()->size() : coordinates()->rows();
}

ComparedBatch ComparedBatch::slice(Index first, Index count) const {
  if (first < 0 || count < 1 || count > size() - first)
    throw InvalidInput(fmt::format("{} matrices from {} on are outside the {} of a batch", count, first, size()));
  if (coordinates()) return {metric_, dim_, Matrix(coordinates()->middleRows(first, count))};
  if (count == size()) return *this;
  std::vector<Index> chosen(static_cast<std::size_t>(count));
  std::iota(chosen.begin(), chosen.end(), first);
  return {metric_, dim_, matrices()->select(chosen)};
}

ComparedQuery::ComparedQuery(const Comparison& comparison, const ComparedBatch& known)
    : squared_(static_cast<std::size_t>(known.size())) {
  const DistanceOptions options{.metric = comparison.metric,
                                .zeta = comparison.learned ? comparison.learned->zeta() : comparison.zeta};
  if (comparison.learned && detail::only_scales(*comparison.learned)) return;
  if (comparison.learned) adjust_.emplace(comparison.learned->transform());
  query_ = known.matrices() != nullptr
               ? detail::query_of(*known.matrices(), options)
               : detail::query_of(*known.coordinates(),
                                  comparison.learned ? comparison.learned->result_dim() : known.dim(), options);
}

std::span<double> ComparedQuery::operator()(const double* matrix) {
  if (adjust_) matrix = (*adjust_)(matrix);
  if (query_ == nullptr || matrix == nullptr || !(*query_)(matrix, squared_.data())) return {};
  return squared_;
}

detail::SquaredDistances detail::compare(const ComparedBatch& x, const ComparedBatch* y, const PairOptions& options) {
  if (y != nullptr && (x.dim() != y->dim() || x.metric() != y->metric()))
    throw InvalidInput(fmt::format("{} x {} matrices under {} cannot be compared with {} x {} ones under {}", x.dim(),
                                   x.dim(), name(x.metric()), y->dim(), y->dim(), name(y->metric())));
  if (x.coordinates()) return flat_distances(*x.coordinates(), y ? y->coordinates() : nullptr, options);
  return {squared_pair_distances(x.metric(), *x.matrices(), y ? y->matrices() : nullptr, options)};
}

Matrix pairwise_squared_distances(const ComparedBatch& x, const PairOptions& options) {
  return detail::finished(detail::compare(x, nullptr, options), true, options.threads);
}

Matrix pairwise_squared_distances(const ComparedBatch& x, const ComparedBatch& y, const PairOptions& options) {
  return detail::finished(detail::compare(x, &y, options), true, options.threads);
}

Matrix pairwise_squared_distances(const Comparison& comparison, const SpdBatch& x, const PairOptions& options) {
  return pairwise_squared_distances(ComparedBatch(comparison, x, options.threads), options);
}

Matrix pairwise_squared_distances(const Comparison& comparison, const SpdBatch& x, const SpdBatch& y,
                                  const PairOptions& options) {
  return pairwise_squared_distances(ComparedBatch(comparison, x, options.threads),
                                    ComparedBatch(comparison, y, options.threads), options);
}

}  // namespace dsk
