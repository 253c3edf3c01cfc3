#pragma once

#include <dsk/covariance.hpp>
#include <dsk/matrices.hpp>

#include "machine/aligned.hpp"

namespace dsk::detail {

/// The moments of the samples that the estimators use.
struct Moments {
  Matrix scatter;            ///< sum of (x - mean)(x - mean)'
  double fourth_powers = 0;  ///< sum of |x - mean|^4; only for ledoit_wolf
  Index samples = 0;
  Eigen::VectorXd mean = {};          ///< only if samples come in parts
  Eigen::VectorXd third_powers = {};  ///< sum of |x - mean|^2 (x - mean); only if they do, for ledoit_wolf

  Index dim() const { return scatter.rows(); }
  /// Adds the moments of other samples. Both need all of what is above.
  void add(Moments part);
};

using Estimate = Matrix (*)(const Moments& moments);
Matrix sample_covariance(const Moments& moments);
Matrix ledoit_wolf(const Moments& moments);
Matrix oas(const Moments& moments);
/// NaN for a feature without variance.
Matrix correlation(const Moments& moments);

/// Takes eigenvalues in descending order and the degrees of freedom of their matrix.
using Correction = Eigen::VectorXd (*)(const Eigen::VectorXd& eigenvalues, Index degrees);
Eigen::VectorXd mestre(const Eigen::VectorXd& eigenvalues, Index degrees);
Eigen::VectorXd efron_morris(const Eigen::VectorXd& eigenvalues, Index degrees);
Eigen::VectorXd ben_david(const Eigen::VectorXd& eigenvalues, Index degrees);

/// (1 - share) X + share tr(X)/d I.
Matrix shrunk(const Matrix& x, double share);

using FeatureNames = std::span<const std::string>;
/// "feature abs-dx", or "feature 3" if there are no names.
std::string feature_name(Index feature, FeatureNames names);

/// Throw InvalidInput for fewer than 2 samples, or a scatter that is not finite.
void check_samples(Index samples);
void check_scatter(const Matrix& scatter);

/// The covariance estimate. Throws RankDeficient if the estimator is undefined for so few samples or dependent
/// features.
Matrix estimated(Estimator estimator, const Moments& moments, FeatureNames names = {});

/// The same, but throws RankDeficient if the estimate is not positive definite and InvalidInput if all features are
/// constant.
Matrix definite_estimate(Estimator estimator, const Moments& moments, FeatureNames names = {});

/// Explains why the sample covariance is not positive definite.
std::string rank_problem(const Moments& moments, FeatureNames names = {});

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
  /// For a part of the samples, which may be a single one.
  void reset_part(Index features, Index samples);
  /// Where to write the samples of a feature.
  double* row(Index feature) { return values_.data() + feature * stride_; }
  Index features() const { return features_; }
  Index samples() const { return samples_; }
  /// Centres the rows and computes the moments that the estimator needs. Throws InvalidInput if a feature contains NaN
  /// or Inf, naming it.
  Moments moments(Estimator estimator, FeatureNames names = {});
  /// The same with the moments that adding parts needs.
  Moments part_moments(Estimator estimator, FeatureNames names = {});

 private:
  void centre_and_add(Moments& result, FeatureNames names);
  void add_powers(Moments& result) const;

  AlignedArray<double> values_;
  Index features_ = 0, samples_ = 0, stride_ = 0;
};

}  // namespace dsk::detail
