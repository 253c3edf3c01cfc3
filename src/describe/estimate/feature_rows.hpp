#pragma once

#include <dsk/matrices.hpp>

#include "describe/estimate/estimators.hpp"
#include "machine/aligned.hpp"

namespace dsk::detail {

/// Rows are padded to a multiple of this number of doubles, the size of the widest vector.
inline constexpr Index scatter_padding = 8;

/// Subtracts the mean from a row of `samples` numbers and sets the padding, up to `stride`, to 0. The row must be
/// aligned. A row of equal numbers becomes exactly 0. Returns the mean.
double centre_row(double* row, Index samples, Index stride);

/// Adds the dot product of rows r and c to sums[r, c], at least for c <= r; `sums` is dim x dim.
void add_scatter(const double* rows, Index dim, Index stride, double* sums);

/// Samples stored as one row per feature, and their moments. Can be reused for many sets of samples.
class FeatureRows {
 public:
  /// Throws InvalidInput for fewer than 2 samples or no feature.
  void reset(Index features, Index samples);
  /// Where to write the samples of a feature.
  double* row(Index feature) { return values_.data() + feature * stride_; }
  Index features() const { return features_; }
  Index samples() const { return samples_; }
  /// Centres the rows and computes the moments that the estimator needs. Throws InvalidInput if a feature contains NaN
  /// or Inf, naming it.
  Moments moments(Estimator estimator, FeatureNames names = {});

 private:
  AlignedArray<double> values_;
  Index features_ = 0, samples_ = 0, stride_ = 0;
};

}  // namespace dsk::detail
