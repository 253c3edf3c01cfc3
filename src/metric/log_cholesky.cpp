#include <cmath>

#include "metric/metric.hpp"

namespace dsk::detail {
namespace {

/// Applies f to the coordinates that are diagonal entries of the factor.
template <class Row, class Function>
void map_diagonal(Row&& row, Index dim, const Function& f) {
  for (Index r = 0; r < dim; ++r) row(r * (r + 3) / 2) = f(row(r * (r + 3) / 2));
}

}  // namespace

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
