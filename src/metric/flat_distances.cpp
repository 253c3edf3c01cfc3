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

/// A map to coordinates, then distances of rows.
class FlatQuery : public DistanceQuery {
 public:
  FlatQuery(const Matrix& known, Index dim, CoordinatesOfOne row_of, const DistanceOptions& options)
      : row_of_(row_of),
        options_(options),
        dim_(dim),
        memory_(dim),
        row_(known.cols()),
        largest_(known.cwiseAbs().maxCoeff()),
        rows_(row_query(known)) {}

  bool operator()(const double* point, double* squared) override {
    if (!row_of_(MatrixView(point, dim_, dim_), options_, memory_, row_) || !row_.allFinite()) return false;
    if (rescaling(std::max(largest_, row_.cwiseAbs().maxCoeff()), Precision::float64) != 0) return false;
    return (*rows_)(row_.data(), squared);
  }

 private:
  CoordinatesOfOne row_of_;
  DistanceOptions options_;
  Index dim_;
  MapMemory memory_;
  Eigen::RowVectorXd row_;
  double largest_;
  std::unique_ptr<DistanceQuery> rows_;
};

Matrix rescaled(const Matrix& rows, int exponent) {
  return rows.unaryExpr([exponent](double value) { return std::scalbn(value, -exponent); });
}

}  // namespace

MapMemory::MapMemory(Index dim)
    : scratch(dim <= largest_in_lanes ? eigen_scratch(dim) : 1),
      values(1, dim),
      vectors(dim, dim),
      lower(dim, dim),
      result(dim, dim) {}

Matrix rows_of_all(const SpdBatch& batch, CoordinatesOfOne row_of, const DistanceOptions& options,
                   double nanoseconds_each) {
  Matrix rows(batch.size(), batch.dim() * (batch.dim() + 1) / 2);
  for_ranges(batch.size(), options.pairs.threads, nanoseconds_each, [&](Index first, Index last) {
    MapMemory memory(batch.dim());
    for (Index i = first; i < last; ++i) row_of(batch[i], options, memory, rows.row(i));
  });
  return rows;
}

std::unique_ptr<DistanceQuery> flat_query(const Matrix& known, Index dim, CoordinatesOfOne row_of,
                                          const DistanceOptions& options) {
  return std::make_unique<FlatQuery>(known, dim, row_of, options);
}

SquaredDistances flat_distances(const Matrix& x, const Matrix* y, const PairOptions& options) {
  double largest = x.cwiseAbs().maxCoeff();
  if (y) largest = std::max(largest, y->cwiseAbs().maxCoeff());
  const int exponent = rescaling(largest, options.precision);
  if (exponent == 0) return {y ? pairwise_squared_distances(x, *y, options) : pairwise_squared_distances(x, options)};
  const Matrix scaled = rescaled(x, exponent);
  return {y ? pairwise_squared_distances(scaled, rescaled(*y, exponent), options)
            : pairwise_squared_distances(scaled, options),
          2 * exponent};
}

void flatten(const MatrixView& symmetric, Eigen::Ref<Eigen::RowVectorXd> row) {
  Index position = 0;
  for (Index r = 0; r < symmetric.rows(); ++r) {
    row.segment(position, r) = std::numbers::sqrt2 * symmetric.row(r).head(r);
    position += r;
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
