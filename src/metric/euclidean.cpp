#include "machine/parallel.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {

Matrix euclidean(const SpdBatch& batch, const DistanceOptions& options) {
  Matrix rows(batch.size(), batch.dim() * (batch.dim() + 1) / 2);
  const auto nanoseconds_each = static_cast<double>(rows.cols());
  for_ranges(batch.size(), options.pairs.threads, nanoseconds_each, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) flatten(batch[i], rows.row(i));
  });
  return rows;
}

Matrix from_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  return unflatten(row, dim);
}

}  // namespace dsk::detail
