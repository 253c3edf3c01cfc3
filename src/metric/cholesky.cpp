#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {

bool cholesky_row(const MatrixView& x, const DistanceOptions&, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row) {
  cholesky_factor(x, memory.result);
  for (Index r = 0; r < x.rows(); ++r) row.segment(r * (r + 1) / 2, r + 1) = memory.result.row(r).head(r + 1);
  return true;
}

Matrix cholesky(const SpdBatch& batch, const DistanceOptions& options) {
  return rows_of_all(batch, cholesky_row, options, cubic_cost(batch.dim(), 0.5));
}

Matrix from_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  Matrix lower = Matrix::Zero(dim, dim);
  for (Index r = 0; r < dim; ++r) lower.row(r).head(r + 1) = row.segment(r * (r + 1) / 2, r + 1);
  return lower * lower.transpose();
}

}  // namespace dsk::detail
