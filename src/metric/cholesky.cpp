// The metrics of Cholesky factors: their Euclidean distance, and that with the logarithms of their diagonals.

#include <Eigen/Core>

#include <cmath>

#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// Applies f to the coordinates that are diagonal entries of the factor.
template <class Row, class Function>
void map_diagonal(Row&& row, Index dim, const Function& f) {
  for (Index r = 0; r < dim; ++r) row(r * (r + 3) / 2) = f(row(r * (r + 3) / 2));
}

}  // namespace

bool cholesky_row(const MatrixView& x, const DistanceOptions&, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row) {
  cholesky_factor(x, memory.result);
  for (Index r = 0; r < x.rows(); ++r) row.segment(r * (r + 1) / 2, r + 1) = memory.result.row(r).head(r + 1);
  return true;
}

void cholesky_of_factor(const CheckedFactor& factor, Index, MapMemory&, Eigen::Ref<Eigen::RowVectorXd> row) {
  factor.write_packed(row.data());
}

/// With X = L L' and B = dJ/dL: dJ/dX is the symmetric part of L^-T P L^-1, where P is the lower triangle of L'B with
/// half its diagonal.
void pull_back_cholesky(const MatrixView& x, const Eigen::RowVectorXd& by_row, Eigen::Ref<Matrix> by_x) {
  const Index dim = x.rows();
  Matrix lower(dim, dim), by_lower = Matrix::Zero(dim, dim);
  cholesky_factor(x, lower);
  for (Index r = 0; r < dim; ++r) by_lower.row(r).head(r + 1) = by_row.segment(r * (r + 1) / 2, r + 1);
  Matrix inner = (lower.transpose() * by_lower).triangularView<Eigen::Lower>();
  inner.diagonal() /= 2;
  lower.transpose().triangularView<Eigen::Upper>().solveInPlace(inner);
  lower.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(inner);
  by_x = (inner + inner.transpose()) / 2;
}

Matrix cholesky(const SpdBatch& batch, const DistanceOptions& options) {
  return rows_of_all(batch, cholesky_row, options, cubic_cost(batch.dim(), 0.5));
}

Matrix from_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  Matrix lower = Matrix::Zero(dim, dim);
  for (Index r = 0; r < dim; ++r) lower.row(r).head(r + 1) = row.segment(r * (r + 1) / 2, r + 1);
  return lower * lower.transpose();
}

Matrix log_cholesky(const SpdBatch& batch, const DistanceOptions& options) {
  Matrix rows = cholesky(batch, options);
  for (Index i = 0; i < rows.rows(); ++i)
    map_diagonal(rows.row(i), batch.dim(), [](double value) { return std::log(value); });
  return rows;
}

void log_cholesky_of_factor(const CheckedFactor& factor, Index dim, MapMemory&, Eigen::Ref<Eigen::RowVectorXd> row) {
  factor.write_packed(row.data());
  map_diagonal(row, dim, [](double value) { return std::log(value); });
}

Matrix from_log_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options) {
  Eigen::RowVectorXd factor = row;
  map_diagonal(factor, dim, [](double value) { return std::exp(value); });
  return from_cholesky(factor, dim, options);
}

}  // namespace dsk::detail
