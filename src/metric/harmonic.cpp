#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// X^-1 = N'N, where N is the inverse of the Cholesky factor.
void invert_by_cholesky(const MatrixView& x, Matrix& lower, Matrix& inverse_factor, Matrix& inverse) {
  cholesky_factor(x, lower);
  invert_from_factor(lower, inverse_factor, inverse);
}

}  // namespace

bool harmonic_row(const MatrixView& x, const DistanceOptions&, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row) {
  invert_by_cholesky(x, memory.lower, memory.vectors, memory.result);
  flatten({memory.result.data(), x.rows(), x.cols()}, row);
  return true;
}

void harmonic_of_factor(const CheckedFactor& factor, Index dim, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row) {
  factor.write_lower(memory.lower);
  invert_from_factor(memory.lower, memory.vectors, memory.result);
  flatten({memory.result.data(), dim, dim}, row);
}

Matrix harmonic(const SpdBatch& batch, const DistanceOptions& options) {
  return rows_of_all(batch, harmonic_row, options, cubic_cost(batch.dim(), 1));
}

Matrix from_harmonic(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  const Matrix inverse = unflatten(row, dim);
  Matrix lower, inverse_factor, result(dim, dim);
  invert_by_cholesky({inverse.data(), dim, dim}, lower, inverse_factor, result);
  return result;
}

}  // namespace dsk::detail
