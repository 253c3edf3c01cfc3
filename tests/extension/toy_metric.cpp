// A toy metric: the Euclidean distance between the logarithms of the diagonals.

#include <cmath>

#include "metric/metric.hpp"

namespace dsk::detail {

Matrix toy(const SpdBatch& batch, const DistanceOptions&) {
  Matrix rows(batch.size(), batch.dim());
  for (Index i = 0; i < batch.size(); ++i) rows.row(i) = batch[i].diagonal().transpose().array().log();
  return rows;
}

/// Of all matrices with this diagonal, the one without other entries.
Matrix from_toy(const Eigen::RowVectorXd& row, Index, const DistanceOptions&) {
  return row.array().exp().matrix().asDiagonal();
}

}  // namespace dsk::detail
