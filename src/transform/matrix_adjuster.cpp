#include <algorithm>
#include <cmath>
#include <limits>

#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {

MatrixAdjuster::MatrixAdjuster(const EigenvalueAdjustment& adjustment)
    : adjustment_(adjustment),
      slope_(adjustment.slope()),
      intercept_(adjustment.intercept()),
      scratch_(eigen_scratch(adjustment.dim())),
      values_(1, adjustment.dim()),
      vectors_(adjustment.dim(), adjustment.dim()),
      adjusted_(adjustment.dim(), adjustment.dim()) {}

MatrixView MatrixAdjuster::operator()(const MatrixView& matrix) {
  const Index dim = adjustment_.dim();
  if (dim > largest_in_lanes) return by_batch(matrix);
  const unsigned failed = decompose_group(matrix.data(), 1, dim, scratch_.data(), values_.data(), vectors_.data());
  const double smallest = static_cast<double>(dim) * std::numeric_limits<double>::epsilon();
  if (failed != 0 || !(values_(0, dim - 1) > smallest * values_(0, 0))) return by_batch(matrix);
  for (Index z = 0; z < dim; ++z)
    values_(0, z) = slope_[z] * (std::log(values_(0, z)) - std::log(adjustment_.scale)) + intercept_[z];
  const double lowest = values_.maxCoeff() + std::log(smallest_adjusted_ratio(dim));
  for (Index z = 0; z < dim; ++z) values_(0, z) = std::exp(std::max(values_(0, z), lowest));
  recompose_group(values_.data(), vectors_.data(), 1, dim, scratch_.data(), adjusted_.data());
  if (!adjusted_.allFinite()) return by_batch(matrix);
  return {adjusted_.data(), dim, dim};
}

/// Slower, and careful with all that is out of the ordinary.
MatrixView MatrixAdjuster::by_batch(const MatrixView& matrix) {
  const SpdBatch one(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())), 1, matrix.rows());
  adjusted_ = adjust(one, adjustment_, 1)[0];
  return {adjusted_.data(), adjusted_.rows(), adjusted_.cols()};
}

}  // namespace dsk::detail
