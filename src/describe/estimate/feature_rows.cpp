#include "describe/estimate/feature_rows.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dsk::detail {

void FeatureRows::reset(Index features, Index samples) {
  if (features < 1) throw InvalidInput("there are no features; a covariance needs at least 1");
  if (samples < 2) throw InvalidInput(fmt::format("{} samples are too few; a covariance needs at least 2", samples));
  features_ = features;
  samples_ = samples;
  stride_ = (samples + scatter_padding - 1) / scatter_padding * scatter_padding;
  if (values_.size() < features * stride_) values_ = AlignedArray<double>(features * stride_);
}

Moments FeatureRows::moments(Estimator estimator, FeatureNames names) {
  Moments result{.scatter = Matrix::Zero(features_, features_), .samples = samples_};
  for (Index f = 0; f < features_; ++f)
    if (!std::isfinite(centre_row(row(f), samples_, stride_)))
      throw InvalidInput(feature_name(f, names) + " contains NaN or Inf");
  add_scatter(values_.data(), features_, stride_, result.scatter.data());
  result.scatter.triangularView<Eigen::StrictlyUpper>() = result.scatter.transpose();
  if (!result.scatter.allFinite()) throw InvalidInput("the samples are too large: their squares overflow");
  if (estimator != Estimator::ledoit_wolf) return result;
  const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> centred(values_.data(), features_, samples_,
                                                                  Eigen::OuterStride<>(stride_));
  constexpr Index strip = 256;
  for (Index first = 0; first < samples_; first += strip)
    result.fourth_powers +=
        centred.middleCols(first, std::min(strip, samples_ - first)).colwise().squaredNorm().squaredNorm();
  return result;
}

}  // namespace dsk::detail
