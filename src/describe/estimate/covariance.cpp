#include <dsk/covariance.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "describe/estimate/estimators.hpp"
#include "machine/messages.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

struct KnownEstimator {
  Estimator value;
  std::string_view name;
  std::string_view alias;
  detail::Estimate estimate;      ///< estimate from the moments, or
  detail::Correction correction;  ///< correction of the eigenvalues of the sample covariance,
  Index degrees_above_dim;        ///< which needs dim + this many degrees of freedom
};

constexpr KnownEstimator known_estimators[] = {
    {Estimator::sample, "sample", "scm, cov", detail::sample_covariance, nullptr, 0},
    {Estimator::ledoit_wolf, "ledoit-wolf", "lwf, lw", detail::ledoit_wolf, nullptr, 0},
    {Estimator::oas, "oas", "", detail::oas, nullptr, 0},
    {Estimator::correlation, "correlation", "corr", detail::correlation, nullptr, 0},
    {Estimator::mestre, "mestre", "", nullptr, detail::mestre, 1},
    {Estimator::efron_morris, "efron-morris", "", nullptr, detail::efron_morris, 2},
    {Estimator::ben_david, "ben-david", "ben-david-davidson", nullptr, detail::ben_david, 1},
};

std::span<const KnownEstimator> rows() {
  return known_estimators;
}

const KnownEstimator& look_up(Estimator estimator) {
  return detail::find_by_value(rows(), estimator, "estimator");
}

void check_degrees(const KnownEstimator& known, Index dim, Index degrees) {
  if (degrees < dim + known.degrees_above_dim)
    throw RankDeficient(fmt::format("{} samples for {} features, but {} needs at least {}", degrees + 1, dim,
                                    known.name, dim + known.degrees_above_dim + 1));
}

Matrix with_corrected_eigenvalues(const KnownEstimator& known, const detail::Moments& moments,
                                  detail::FeatureNames names) {
  const Index degrees = moments.samples - 1;
  check_degrees(known, moments.dim(), degrees);
  const Matrix sample = detail::sample_covariance(moments);
  const MatrixView view(sample.data(), sample.rows(), sample.cols());
  Matrix scratch, inverse;
  if (!detail::is_positive_definite(view, scratch, inverse)) throw RankDeficient(detail::rank_problem(moments, names));
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  detail::positive_eigen(view, values, vectors);
  Matrix result = vectors * known.correction(values, degrees).asDiagonal() * vectors.transpose();
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
  return result;
}

void check_trials(const StackView& trials) {
  if (trials.count < 1) throw InvalidInput("there are no trials; a batch needs at least 1");
  if (trials.rows < 1) throw InvalidInput("the trials have no channels");
  if (trials.columns < 2)
    throw InvalidInput(fmt::format("a covariance needs at least 2 samples, not {}", trials.columns));
  const auto n = static_cast<std::size_t>(trials.count), channels = static_cast<std::size_t>(trials.rows),
             samples = static_cast<std::size_t>(trials.columns);
  if (trials.values.size() % samples != 0 || trials.values.size() / samples % channels != 0 ||
      trials.values.size() / samples / channels != n)
    throw InvalidInput(fmt::format("{} values do not form {} trials of {} channels with {} samples",
                                   trials.values.size(), trials.count, trials.rows, trials.columns));
}

}  // namespace

Estimator parse_estimator(std::string_view text) {
  std::string word(text);
  std::replace(word.begin(), word.end(), '_', '-');
  return detail::find_by_name(rows(), word, "estimator").value;
}

std::string_view name(Estimator estimator) {
  return look_up(estimator).name;
}

std::string estimator_choices() {
  return detail::choices(rows());
}

Matrix detail::estimated(Estimator estimator, const Moments& moments, FeatureNames names) {
  const KnownEstimator& known = look_up(estimator);
  if (known.estimate == nullptr) return with_corrected_eigenvalues(known, moments, names);
  Matrix result = known.estimate(moments);
  if (!result.allFinite()) throw RankDeficient(rank_problem(moments, names));
  return result;
}

Matrix detail::definite_estimate(Estimator estimator, const Moments& moments, FeatureNames names) {
  if (!(moments.scatter.diagonal().maxCoeff() > 0)) throw InvalidInput("all features are constant");
  Matrix result = estimated(estimator, moments, names);
  Matrix scratch, inverse;
  if (!is_positive_definite({result.data(), result.rows(), result.cols()}, scratch, inverse))
    throw RankDeficient(rank_problem(moments, names));
  return result;
}

Eigen::VectorXd corrected_eigenvalues(Estimator estimator, const Eigen::VectorXd& eigenvalues, Index degrees) {
  const KnownEstimator& known = look_up(estimator);
  if (known.correction == nullptr) throw InvalidInput(fmt::format("{} does not correct eigenvalues", known.name));
  if (eigenvalues.size() == 0) throw InvalidInput("there are no eigenvalues to correct");
  for (Index k = 0; k < eigenvalues.size(); ++k)
    if (!(eigenvalues[k] > 0) || !std::isfinite(eigenvalues[k]) || (k > 0 && eigenvalues[k] > eigenvalues[k - 1]))
      throw InvalidInput(
          fmt::format("eigenvalue {} is {}, but eigenvalues must be positive and descending", k, eigenvalues[k]));
  check_degrees(known, eigenvalues.size(), degrees);
  return known.correction(eigenvalues, degrees);
}

Matrix covariance(const Eigen::Ref<const Matrix>& samples, const CovarianceOptions& options) {
  detail::FeatureRows rows;
  rows.reset(samples.cols(), samples.rows());
  for (Index f = 0; f < samples.cols(); ++f) Eigen::Map<Eigen::VectorXd>(rows.row(f), samples.rows()) = samples.col(f);
  return detail::estimated(options.estimator, rows.moments(options.estimator));
}

SpdBatch covariance(const StackView& trials, const CovarianceOptions& options) {
  check_trials(trials);
  const Index dim = trials.rows, size = trials.rows * trials.columns;
  MatrixStack stack{trials.count, dim, std::vector<double>(static_cast<std::size_t>(trials.count * dim * dim))};
  const double cost = 0.3 * static_cast<double>(size) * static_cast<double>(dim) + detail::cubic_cost(dim, 1);
  detail::for_ranges(trials.count, options.threads, cost, [&](Index first, Index last) {
    detail::FeatureRows rows;
    for (Index i = first; i < last; ++i) {
      rows.reset(dim, trials.columns);
      for (Index c = 0; c < dim; ++c)
        std::copy_n(trials.values.data() + i * size + c * trials.columns, trials.columns, rows.row(c));
      try {
        const Matrix estimate = detail::definite_estimate(options.estimator, rows.moments(options.estimator));
        std::copy_n(estimate.data(), dim * dim, stack.values.data() + i * dim * dim);
      } catch (const RankDeficient& error) {
        throw RankDeficient(fmt::format("trial {}: {}", i, error.problem()));
      } catch (const InvalidInput& error) {
        throw InvalidInput(fmt::format("trial {}: {}", i, error.what()));
      }
    }
  });
  return detail::trust(std::move(stack));
}

}  // namespace dsk
