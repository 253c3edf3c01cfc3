#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {

Matrix cholesky(const SpdBatch& batch, const DistanceOptions& options) {
  const Index dim = batch.dim();
  Matrix rows(batch.size(), dim * (dim + 1) / 2);
  for_ranges(batch.size(), options.pairs.threads, cubic_cost(dim, 0.5), [&](Index first, Index last) {
    Matrix lower;
    for (Index i = first; i < last; ++i) {
      cholesky_factor(batch[i], lower);
      for (Index r = 0; r < dim; ++r) rows.row(i).segment(r * (r + 1) / 2, r + 1) = lower.row(r).head(r + 1);
    }
  });
  return rows;
}

Matrix from_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  Matrix lower = Matrix::Zero(dim, dim);
  for (Index r = 0; r < dim; ++r) lower.row(r).head(r + 1) = row.segment(r * (r + 1) / 2, r + 1);
  return lower * lower.transpose();
}

}  // namespace dsk::detail
