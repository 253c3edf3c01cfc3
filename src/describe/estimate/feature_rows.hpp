#pragma once

#include "describe/estimate/estimators.hpp"
#include "machine/aligned.hpp"

namespace dsk::detail {

/// Samples that lie feature by feature, to be filled in row by row and then reduced to their moments. Made once, used
/// for many sets of samples.
class FeatureRows {
 public:
  /// Throws InvalidInput for fewer than 2 samples or no feature.
  void reset(Index features, Index samples);
  /// Where the samples of one feature go.
  double* row(Index feature) { return values_.data() + feature * stride_; }
  Index features() const { return features_; }
  Index samples() const { return samples_; }
  /// Takes the means away from what was filled in, and sums up what the estimator needs. Throws InvalidInput naming a
  /// feature that is not finite.
  Moments moments(Estimator estimator, FeatureNames names = {});

 private:
  AlignedArray<double> values_;
  Index features_ = 0, samples_ = 0, stride_ = 0;
};

}  // namespace dsk::detail
