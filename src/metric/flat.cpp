#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// Exponent that brings rows whose squares would leave the range of the precision near 1, and 0 for all others.
int rescaling(double largest, Precision precision) {
  const int harmless = precision == Precision::float64 ? 250 : 30;
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  return std::abs(exponent) < harmless ? 0 : exponent;
}

Matrix rescaled(const Matrix& rows, int exponent) {
  return rows.unaryExpr([exponent](double value) { return std::scalbn(value, -exponent); });
}

}  // namespace

SquaredDistances flat_distances(const Matrix& x, const Matrix* y, const PairOptions& options) {
  double largest = x.cwiseAbs().maxCoeff();
  if (y) largest = std::max(largest, y->cwiseAbs().maxCoeff());
  const int exponent = rescaling(largest, options.precision);
  if (exponent == 0) return {y ? pair_squared_distances(x, *y, options) : pair_squared_distances(x, options)};
  const Matrix scaled = rescaled(x, exponent);
  return {y ? pair_squared_distances(scaled, rescaled(*y, exponent), options) : pair_squared_distances(scaled, options),
          2 * exponent};
}

void flatten(const MatrixView& symmetric, Eigen::Ref<Eigen::RowVectorXd> row) {
  Index position = 0;
  for (Index r = 0; r < symmetric.rows(); ++r) {
    for (Index c = 0; c < r; ++c) row(position++) = std::numbers::sqrt2 * symmetric(r, c);
    row(position++) = symmetric(r, r);
  }
}

Matrix unflatten(const Eigen::RowVectorXd& row, Index dim) {
  Matrix symmetric(dim, dim);
  Index position = 0;
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < r; ++c) symmetric(r, c) = symmetric(c, r) = row(position++) / std::numbers::sqrt2;
    symmetric(r, r) = row(position++);
  }
  return symmetric;
}

Matrix flatten(const MatrixStack& symmetric, int threads) {
  Matrix rows(symmetric.count, symmetric.dim * (symmetric.dim + 1) / 2);
  for_ranges(symmetric.count, threads, static_cast<double>(rows.cols()), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) flatten(symmetric[i], rows.row(i));
  });
  return rows;
}

}  // namespace dsk::detail
