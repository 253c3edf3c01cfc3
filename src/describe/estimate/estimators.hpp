#pragma once

#include <dsk/covariance.hpp>

namespace dsk::detail {

/// The moments of the samples that the estimators use.
struct Moments {
  Matrix scatter;            ///< sum of (x - mean)(x - mean)'
  double fourth_powers = 0;  ///< sum of |x - mean|^4; only for ledoit_wolf
  Index samples = 0;

  Index dim() const { return scatter.rows(); }
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

/// The covariance estimate. Throws RankDeficient if the estimator is undefined for so few samples or dependent
/// features.
Matrix estimated(Estimator estimator, const Moments& moments, FeatureNames names = {});

/// The same, but throws RankDeficient if the estimate is not positive definite and InvalidInput if all features are
/// constant.
Matrix definite_estimate(Estimator estimator, const Moments& moments, FeatureNames names = {});

/// Explains why the sample covariance is not positive definite.
std::string rank_problem(const Moments& moments, FeatureNames names = {});

}  // namespace dsk::detail
