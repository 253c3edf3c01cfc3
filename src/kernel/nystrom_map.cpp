#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"

namespace dsk {
namespace {

/// Rows of kernel values become L^-1 of themselves.
void solve_rows(Matrix& rows, const Matrix& factor, int threads) {
  const Index size = factor.rows();
  constexpr Index together = 128;  // fewer would read the whole factor from memory for too little work
  const double nanoseconds = 0.1 * static_cast<double>(together * size * size);
  detail::for_ranges((rows.rows() + together - 1) / together, threads, nanoseconds, [&](Index first, Index last) {
    for (Index piece = first; piece < last; ++piece) {
      const Index begin = piece * together, count = std::min(together, rows.rows() - begin);
      Eigen::Map<Eigen::MatrixXd> columns(&rows(begin, 0), size, count);
      factor.triangularView<Eigen::Lower>().solveInPlace(columns);
    }
  });
}

}  // namespace

NystromMap::NystromMap(Comparison comparison, double theta, Dataset landmarks, Matrix factor, int threads)
    : comparison_(std::move(comparison)),
      theta_(theta),
      landmarks_(std::move(landmarks)),
      factor_(std::move(factor)),
      compared_(comparison_, landmarks_.matrices(), threads) {
  check_theta(comparison_.metric, theta_, dim());
  if (factor_.rows() != size() || factor_.cols() != size())
    throw InvalidInput(
        fmt::format("a {} x {} factor does not fit {} landmarks", factor_.rows(), factor_.cols(), size()));
  if (!factor_.allFinite() || !(factor_.diagonal().minCoeff() > 0))
    throw InvalidInput("the factor of the landmarks' kernel matrix is not finite with a positive diagonal");
}

void NystromMap::visit_features(const SpdBatch& x, const Visitor& visit, const PairOptions& options) const {
  detail::visit_row_blocks(comparison_, x, compared_, options, [&](Index first, detail::SquaredDistances squared) {
    Matrix rows = detail::finished(std::move(squared), true, options.threads);
    exponential_in_place(rows, -theta_, options.threads);
    solve_rows(rows, factor_, options.threads);
    visit(first, rows);
  });
}

Matrix NystromMap::features(const SpdBatch& x, const PairOptions& options) const {
  Matrix result(x.size(), size());
  visit_features(
      x, [&](Index first, const Matrix& rows) { result.middleRows(first, rows.rows()) = rows; }, options);
  return result;
}

double residual(const Eigen::Ref<const Eigen::RowVectorXd>& features) {
  return std::max(0.0, 1 - features.squaredNorm());
}

}  // namespace dsk
