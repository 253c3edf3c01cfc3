#include "metric/metric.hpp"

namespace dsk::detail {

bool euclidean_row(const MatrixView& x, const DistanceOptions&, MapMemory&, Eigen::Ref<Eigen::RowVectorXd> row) {
  flatten(x, row);
  return true;
}

Matrix euclidean(const SpdBatch& batch, const DistanceOptions& options) {
  return rows_of_all(batch, euclidean_row, options, static_cast<double>(batch.dim() * (batch.dim() + 1) / 2));
}

Matrix from_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  return unflatten(row, dim);
}

}  // namespace dsk::detail
