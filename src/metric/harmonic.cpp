#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// X^-1 = N'N, where N is the inverse of the Cholesky factor.
Matrix inverse_by_cholesky(const MatrixView& x) {
  Matrix lower, inverse = Matrix::Identity(x.rows(), x.cols());
  cholesky_factor(x, lower);
  lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
  return inverse.transpose() * inverse;
}

}  // namespace

Matrix harmonic(const SpdBatch& batch, const DistanceOptions& options) {
  Matrix rows(batch.size(), batch.dim() * (batch.dim() + 1) / 2);
  for_ranges(batch.size(), options.pairs.threads, cubic_cost(batch.dim(), 1), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Matrix inverse = inverse_by_cholesky(batch[i]);
      flatten({inverse.data(), batch.dim(), batch.dim()}, rows.row(i));
    }
  });
  return rows;
}

Matrix from_harmonic(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  const Matrix inverse = unflatten(row, dim);
  return inverse_by_cholesky({inverse.data(), dim, dim});
}

}  // namespace dsk::detail
