#pragma once

#include <dsk/matrices.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// How a covariance matrix is estimated from N samples of d features; means are always taken away.
enum class Estimator {
  sample,        ///< sum of squares over N - 1
  ledoit_wolf,   ///< shrunk towards the mean variance, Ledoit & Wolf 2004, over N as in scikit-learn
  oas,           ///< shrunk towards the mean variance, Chen, Wiesel, Eldar & Hero 2010, over N as in scikit-learn
  correlation,   ///< sample covariance of features of unit variance
  mestre,        ///< sample covariance with the eigenvalues of Mestre 2008; N >= d + 2
  efron_morris,  ///< inverse of the precision matrix of Efron & Morris 1976; N >= d + 3
  ben_david,     ///< sample covariance with the eigenvalues of Ben-David & Davidson 2012; N >= d + 2
};

/// Reads "sample" (scm, cov), "ledoit-wolf" (lwf, lw), "oas", "correlation" (corr), "mestre", "efron-morris" or
/// "ben-david" (ben-david-davidson), with _ for - if you like; throws InvalidInput.
Estimator parse_estimator(std::string_view text);
std::string_view name(Estimator estimator);
std::vector<std::string_view> estimator_names();

struct CovarianceOptions {
  Estimator estimator = Estimator::sample;
  int threads = 0;  ///< for batches; 0: all cores
};

/// Too few samples, or features that depend on each other, for a positive definite estimate of this kind.
class RankDeficient : public InvalidInput {
 public:
  explicit RankDeficient(const std::string& problem);
  /// What is wrong, without the remedy: a shrinking estimator, such as `remedy`.
  const std::string& problem() const { return problem_; }
  static constexpr std::string_view remedy = "oas";

 private:
  std::string problem_;
};

/// The covariance of samples, one row each: symmetric to the bit. Of too few samples the sample covariance is singular;
/// only estimators that cannot do with so few throw RankDeficient. Throws InvalidInput for fewer than 2 samples, NaN or
/// Inf.
Matrix covariance(const Eigen::Ref<const Matrix>& samples, const CovarianceOptions& options = {});

/// Trials that lie elsewhere, row-major (trials, channels, samples).
struct TrialsView {
  std::span<const double> values;
  Index trials = 0;
  Index channels = 0;
  Index samples = 0;
};

/// One matrix of size channels x channels per trial; the same bits for any number of threads. Throws RankDeficient,
/// naming trial and cause, if one is not positive definite.
SpdBatch covariance(const TrialsView& trials, const CovarianceOptions& options = {});

/// What mestre, efron_morris and ben_david make of the eigenvalues (descending, positive) of a sample covariance matrix
/// with so many degrees of freedom: N - 1 if means were taken away. Results belong to the same eigenvectors and need
/// not be in order. Throws InvalidInput for other estimators, RankDeficient for too few degrees.
Eigen::VectorXd corrected_eigenvalues(Estimator estimator, const Eigen::VectorXd& eigenvalues, Index degrees);

}  // namespace dsk
