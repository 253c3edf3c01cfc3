#include <algorithm>
#include <atomic>
#include <numbers>
#include <optional>

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

/// Room for what check_group needs and the inverses of a group. That of MapMemory is larger.
Index inverse_scratch(Index dim) {
  return check_scratch(dim) + dim * (dim + 1) / 2 * eigen_group;
}

/// Writes the rows of a group, which are `width` apart.
GroupInverse group_rows(const double* matrices, Index count, Index dim, double* scratch, double* rows, Index width) {
  double* const inverses = scratch + check_scratch(dim);
  const GroupInverse found = invert_group(matrices, count, dim, symmetry_tolerance,
                                          {.inverses = inverses, .off_diagonal = std::numbers::sqrt2}, scratch);
  for (Index k = 0; k < count; ++k)
    for (Index e = 0; e < width; ++e) rows[k * width + e] = inverses[e * eigen_group + k];
  return found;
}

void row_of_one(const MatrixView& x, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row) {
  invert_by_cholesky(x, memory.lower, memory.vectors, memory.result);
  flatten({memory.result.data(), x.rows(), x.cols()}, row);
}

}  // namespace

bool harmonic_rows(const double* matrices, Index dim, Checked checked, int threads, Matrix& rows) {
  const Index groups = (rows.rows() + eigen_group - 1) / eigen_group, entries = dim * dim;
  std::atomic<bool> all_valid = true;
  for_ranges(groups, threads, eigen_group * cubic_cost(dim, 0.1), [&](Index first, Index last) {
    AlignedArray<double> scratch(inverse_scratch(dim));
    std::optional<MapMemory> memory;
    for (Index i = first * eigen_group; i < std::min(last * eigen_group, rows.rows()) && all_valid; i += eigen_group) {
      const Index count = std::min(eigen_group, rows.rows() - i);
      const double* const group = matrices + i * entries;
      const GroupInverse found = group_rows(group, count, dim, scratch.data(), &rows(i, 0), rows.cols());
      if (checked == Checked::no && (found.check.valid & found.check.exact) + 1 != 1U << count) {
        all_valid = false;
        return;
      }
      for (Index k = 0; k < count; ++k) {
        if ((found.factored >> k & 1U) != 0) continue;
        if (!memory) memory.emplace(dim);
        row_of_one({group + k * entries, dim, dim}, *memory, rows.row(i + k));
      }
    }
  });
  return all_valid;
}

bool harmonic_row(const MatrixView& x, const DistanceOptions&, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row) {
  const Index dim = x.rows();
  if (dim > largest_checked_in_lanes ||
      group_rows(x.data(), 1, dim, memory.scratch.data(), row.data(), row.size()).factored == 0)
    row_of_one(x, memory, row);
  return true;
}

void harmonic_of_factor(const CheckedFactor& factor, Index dim, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row) {
  factor.write_lower(memory.lower);
  invert_from_factor(memory.lower, memory.vectors, memory.result);
  flatten({memory.result.data(), dim, dim}, row);
}

Matrix harmonic(const SpdBatch& batch, const DistanceOptions& options) {
  const Index dim = batch.dim();
  if (dim > largest_checked_in_lanes) return rows_of_all(batch, harmonic_row, options, cubic_cost(dim, 1));
  Matrix rows(batch.size(), dim * (dim + 1) / 2);
  harmonic_rows(batch.values().data(), dim, Checked::yes, options.pairs.threads, rows);
  return rows;
}

Matrix from_harmonic(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  const Matrix inverse = unflatten(row, dim);
  Matrix lower, inverse_factor, result(dim, dim);
  invert_by_cholesky({inverse.data(), dim, dim}, lower, inverse_factor, result);
  return result;
}

}  // namespace dsk::detail
