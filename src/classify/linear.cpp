#include <dsk/mean_classifiers.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "classify/classify.hpp"

namespace dsk {

Matrix LinearModel::scores(const Matrix& features) const {
  if (features.cols() != weights.rows())
    throw InvalidInput(
        fmt::format("rows of {} features do not match {} weights per output", features.cols(), weights.rows()));
  Matrix result = features * weights;
  result.rowwise() += offsets;
  return result;
}

namespace detail {

ScaledFeatures::ScaledFeatures(const Matrix& features) {
  if (features.rows() == 0) throw InvalidInput("there are no features to train on");
  if (!features.allFinite()) throw InvalidInput("a feature is not a finite number");
  centre = features.colwise().mean();
  rows = features.rowwise() - centre;
  const double deviation = std::sqrt(rows.squaredNorm() / static_cast<double>(rows.rows()));
  if (deviation > 0 && std::isfinite(deviation)) scale = deviation;
  rows /= scale;
}

LinearModel ScaledFeatures::unscaled(LinearModel model) const {
  model.weights /= scale;
  model.offsets -= centre * model.weights;
  return model;
}

PairwiseSvm fit_linear_svm(const Matrix& features, const std::vector<int>& codes, const SvmOptions& options) {
  const ScaledFeatures scaled(features);
  Matrix kernel = Matrix::Zero(features.rows(), features.rows());
  kernel.selfadjointView<Eigen::Lower>().rankUpdate(scaled.rows);
  kernel.triangularView<Eigen::StrictlyUpper>() = kernel.transpose();
  const PairwiseSvm machine(kernel, codes, options);
  LinearModel model = scaled.unscaled({Matrix(scaled.rows.transpose() * machine.coefficients()), machine.offsets()});
  return {machine.classes(), model.weights, std::move(model.offsets)};
}

}  // namespace detail
}  // namespace dsk
