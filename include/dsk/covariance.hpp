#pragma once

#include <dsk/matrices.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// Estimators of a covariance matrix from N samples of d features. The mean is always subtracted.
enum class Estimator {
  sample,        ///< scatter matrix / (N - 1)
  ledoit_wolf,   ///< shrinkage towards the mean variance, Ledoit & Wolf 2004; divides by N as scikit-learn does
  oas,           ///< shrinkage towards the mean variance, Chen et al. 2010; divides by N as scikit-learn does
  correlation,   ///< sample covariance of the features scaled to unit variance
  mestre,        ///< sample covariance with the eigenvalues of Mestre 2008; N >= d + 2
  efron_morris,  ///< inverse of the precision matrix of Efron & Morris 1976; N >= d + 3
  ben_david,     ///< sample covariance with the eigenvalues of Ben-David & Davidson 2012; N >= d + 2
};

/// Parses "sample" (scm, cov), "ledoit-wolf" (lwf, lw), "oas", "correlation" (corr), "mestre", "efron-morris" or
/// "ben-david" (ben-david-davidson); "_" can replace "-". Throws InvalidInput, listing all of them.
Estimator parse_estimator(std::string_view text);
std::string_view name(Estimator estimator);
/// All of them, as a text for help: "sample (scm, cov), ...".
std::string estimator_choices();

struct CovarianceOptions {
  Estimator estimator = Estimator::sample;
  int threads = 0;  ///< for batches; 0: all cores
};

/// The estimate is not positive definite: there are too few samples or the features are linearly dependent.
class RankDeficient : public InvalidInput {
 public:
  explicit RankDeficient(const std::string& problem);
  /// What is wrong, without the remedy, which is a shrinkage estimator such as `remedy`.
  const std::string& problem() const { return problem_; }
  static constexpr std::string_view remedy = "oas";

 private:
  std::string problem_;
};

/// The covariance matrix of the rows of `samples`, exactly symmetric. With too few samples the sample covariance is
/// singular; estimators that are undefined then throw RankDeficient. Throws InvalidInput for fewer than 2 samples, NaN
/// or Inf.
Matrix covariance(const Eigen::Ref<const Matrix>& samples, const CovarianceOptions& options = {});

/// One covariance matrix (channels x channels) per trial (channels x samples). The result does not depend on the number
/// of threads. Throws RankDeficient, naming the trial and the cause, if a matrix is not positive definite.
SpdBatch covariance(const StackView& trials, const CovarianceOptions& options = {});

/// Applies mestre, efron_morris or ben_david to the eigenvalues (positive, descending) of a sample covariance matrix.
/// `degrees` are its degrees of freedom: N - 1 if the mean was estimated. The results belong to the same eigenvectors
/// and need not be sorted. Throws InvalidInput for other estimators and RankDeficient for too few degrees of freedom.
Eigen::VectorXd corrected_eigenvalues(Estimator estimator, const Eigen::VectorXd& eigenvalues, Index degrees);

}  // namespace dsk
