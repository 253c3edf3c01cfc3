#include "describe/estimate/estimators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsk::detail {
namespace {

/// The first row that is a linear combination of the rows before it, up to rounding, or the number of rows if there is
/// none.
Index first_dependent(const Matrix& correlations) {
  const Index dim = correlations.rows();
  Matrix lower = Matrix::Zero(dim, dim);
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < r; ++c)
      lower(r, c) = (correlations(r, c) - lower.row(r).head(c).dot(lower.row(c).head(c))) / lower(c, c);
    const double left = 1 - lower.row(r).head(r).squaredNorm();
    if (!(left > 64 * static_cast<double>(dim) * std::numeric_limits<double>::epsilon())) return r;
    lower(r, r) = std::sqrt(left);
  }
  return dim;
}

/// Makes the moments those about a point at `step` from the mean.
void move_mean(Moments& x, const Eigen::VectorXd& step) {
  const auto n = static_cast<double>(x.samples);
  const double length = step.squaredNorm(), trace = x.scatter.trace();
  const Eigen::VectorXd across = x.scatter * step;
  x.fourth_powers += 4 * step.dot(across) + length * (n * length + 2 * trace) - 4 * step.dot(x.third_powers);
  x.third_powers -= 2 * across + (trace + n * length) * step;
  // Symmetric to the bit.
  const Eigen::VectorXd scaled = std::sqrt(n) * step;
  x.scatter += scaled * scaled.transpose();
  x.mean += step;
}

}  // namespace

void Moments::add(Moments part) {
  if (samples == 0) {
    *this = std::move(part);
    return;
  }
  const Index together = samples + part.samples;
  const Eigen::VectorXd between = part.mean - mean;
  const Eigen::VectorXd step = between * (static_cast<double>(part.samples) / static_cast<double>(together));
  move_mean(*this, step);
  move_mean(part, step - between);
  scatter += part.scatter;
  fourth_powers += part.fourth_powers;
  third_powers += part.third_powers;
  samples = together;
}

void check_samples(Index samples) {
  if (samples < 2) throw InvalidInput(fmt::format("a covariance needs at least 2 samples, not {}", samples));
}

void FeatureRows::reset(Index features, Index samples) {
  if (features < 1) throw InvalidInput("there are no features; a covariance needs at least 1");
  check_samples(samples);
  reset_part(features, samples);
}

void FeatureRows::reset_part(Index features, Index samples) {
  features_ = features;
  samples_ = samples;
  stride_ = (samples + scatter_padding - 1) / scatter_padding * scatter_padding;
  if (values_.size() < features * stride_) values_ = AlignedArray<double>(features * stride_);
}

Moments FeatureRows::moments(Estimator estimator, FeatureNames names) {
  Moments result{.scatter = Matrix::Zero(features_, features_), .samples = samples_};
  centre_and_add(result, names);
  if (estimator == Estimator::ledoit_wolf) add_powers(result);
  return result;
}

Moments FeatureRows::part_moments(Estimator estimator, FeatureNames names) {
  Moments result{.scatter = Matrix::Zero(features_, features_),
                 .samples = samples_,
                 .mean = Eigen::VectorXd(features_),
                 .third_powers = Eigen::VectorXd::Zero(features_)};
  centre_and_add(result, names);
  if (estimator == Estimator::ledoit_wolf) add_powers(result);
  return result;
}

void FeatureRows::centre_and_add(Moments& result, FeatureNames names) {
  for (Index f = 0; f < features_; ++f) {
    const double mean = centre_row(row(f), samples_, stride_);
    if (!std::isfinite(mean)) throw InvalidInput(feature_name(f, names) + " contains NaN or Inf");
    if (result.mean.size() > 0) result.mean[f] = mean;
  }
  add_scatter(values_.data(), features_, stride_, result.scatter.data());
  result.scatter.triangularView<Eigen::StrictlyUpper>() = result.scatter.transpose();
  check_scatter(result.scatter);
}

void FeatureRows::add_powers(Moments& result) const {
  const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> centred(values_.data(), features_, samples_,
                                                                  Eigen::OuterStride<>(stride_));
  constexpr Index strip = 256;
  for (Index first = 0; first < samples_; first += strip) {
    const auto columns = centred.middleCols(first, std::min(strip, samples_ - first));
    const Eigen::RowVectorXd squares = columns.colwise().squaredNorm();
    result.fourth_powers += squares.squaredNorm();
    if (result.third_powers.size() > 0) result.third_powers += columns * squares.transpose();
  }
}

Matrix shrunk(const Matrix& x, double share) {
  Matrix result = (1 - share) * x;
  result.diagonal().array() += share * x.trace() / static_cast<double>(x.rows());
  return result;
}

Matrix sample_covariance(const Moments& moments) {
  return moments.scatter / static_cast<double>(moments.samples - 1);
}

Matrix ledoit_wolf(const Moments& moments) {
  const auto n = static_cast<double>(moments.samples), d = static_cast<double>(moments.dim());
  const Matrix x = moments.scatter / n;
  const double mean_variance = x.trace() / d;
  const double distance = (x.squaredNorm() - d * mean_variance * mean_variance) / d;
  const double noise = std::min((moments.fourth_powers / n - x.squaredNorm()) / (n * d), distance);
  return shrunk(x, noise > 0 ? noise / distance : 0);
}

Matrix oas(const Moments& moments) {
  const auto n = static_cast<double>(moments.samples), d = static_cast<double>(moments.dim());
  const Matrix x = moments.scatter / n;
  const double mean_square = x.squaredNorm() / (d * d), mean_variance = x.trace() / d;
  const double above = mean_square + mean_variance * mean_variance;
  const double below = (n + 1) * (mean_square - mean_variance * mean_variance / d);
  return shrunk(x, below > 0 ? std::min(above / below, 1.0) : 1);
}

Matrix correlation(const Moments& moments) {
  const Index dim = moments.dim();
  const Eigen::VectorXd deviation = moments.scatter.diagonal().array().sqrt();
  Matrix result(dim, dim);
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < r; ++c)
      result(r, c) = result(c, r) = std::clamp(moments.scatter(r, c) / deviation[r] / deviation[c], -1.0, 1.0);
    result(r, r) = 1;
  }
  return result;
}

void check_scatter(const Matrix& scatter) {
  if (!scatter.allFinite()) throw InvalidInput("the samples are too large: their squares overflow");
}

std::string feature_name(Index feature, FeatureNames names) {
  return names.empty() ? fmt::format("feature {}", feature)
                       : fmt::format("feature {}", names[static_cast<std::size_t>(feature)]);
}

std::string rank_problem(const Moments& moments, FeatureNames names) {
  const Index dim = moments.dim();
  if (moments.samples <= dim) return fmt::format("{} samples for {} features", moments.samples, dim);
  for (Index k = 0; k < dim; ++k)
    if (!(moments.scatter(k, k) > 0)) return feature_name(k, names) + " is constant";
  const Index dependent = first_dependent(correlation(moments));
  if (dependent < dim) return feature_name(dependent, names) + " is a linear combination of the features before it";
  return fmt::format("the {} features are nearly linearly dependent", dim);
}

}  // namespace dsk::detail

namespace dsk {

RankDeficient::RankDeficient(const std::string& problem)
    : InvalidInput(fmt::format("{}: use the estimator {}", problem, remedy)), problem_(problem) {}

}  // namespace dsk

namespace dsk::detail {
namespace {

/// lam_k - mu, where mu is the root of (1/n) sum_i lam_i / (lam_i - mu) = 1 just below eigenvalue k. Solves for the
/// difference, so that it is accurate however close the root is.
double distance_to_root(const Eigen::VectorXd& eigenvalues, Index k, double degrees) {
  const double lam = eigenvalues[k];
  double low = 0, high = k + 1 < eigenvalues.size() ? lam - eigenvalues[k + 1] : lam;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    double sum = 0;
    for (const double other : eigenvalues) sum += other / (other - lam + middle);
    (sum > degrees ? low : high) = middle;
  }
}

/// Squared error of the least-squares line through values[first], ..., values[last - 1] against their indices.
double line_error(const Eigen::VectorXd& values, Index first, Index last) {
  const auto count = static_cast<double>(last - first);
  const Eigen::VectorXd y = values.segment(first, last - first).array() - values.segment(first, last - first).mean();
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(last - first, -(count - 1) / 2, (count - 1) / 2);
  return (y - x * (x.dot(y) / x.squaredNorm())).squaredNorm();
}

/// The number of large eigenvalues: the split for which two lines, of at least two points each, fit the logarithms
/// best. Fewer than four eigenvalues are not split.
Index large_count(const Eigen::VectorXd& eigenvalues) {
  const Index dim = eigenvalues.size();
  const Eigen::VectorXd logs = eigenvalues.array().log();
  Index best = dim;
  double least = std::numeric_limits<double>::infinity();
  for (Index split = 2; split + 2 <= dim; ++split) {
    const double error = line_error(logs, 0, split) + line_error(logs, split, dim);
    if (error < least) {
      least = error;
      best = split;
    }
  }
  return best;
}

}  // namespace

Eigen::VectorXd mestre(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const auto n = static_cast<double>(degrees);
  Eigen::VectorXd result(eigenvalues.size());
  // There is no root between equal eigenvalues: they share the estimate of the last of them.
  for (Index first = 0; first < eigenvalues.size();) {
    Index last = first;
    while (last + 1 < eigenvalues.size() && eigenvalues[last + 1] == eigenvalues[first]) ++last;
    const Index equal = last - first + 1;
    result.segment(first, equal).setConstant(n * distance_to_root(eigenvalues, last, n) / static_cast<double>(equal));
    first = last + 1;
  }
  return result;
}

/// The precision matrix is (n - d - 1) S^-1 + (d^2 + d - 2) / tr(S) I, where S is the scatter matrix with n degrees of
/// freedom.
Eigen::VectorXd efron_morris(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const auto n = static_cast<double>(degrees), d = static_cast<double>(eigenvalues.size());
  const double common = (d * d + d - 2) / (n * eigenvalues.sum());
  return ((n - d - 1) / (n * eigenvalues.array()) + common).inverse();
}

Eigen::VectorXd ben_david(const Eigen::VectorXd& eigenvalues, Index degrees) {
  const Index dim = eigenvalues.size();
  const auto n = static_cast<double>(degrees);
  const double root = std::sqrt(static_cast<double>(dim) / n);
  Eigen::VectorXd result(dim);
  for (Index k = 0; k < dim; ++k) {
    const double low = eigenvalues[k] * (1 - root) * (1 - root), high = eigenvalues[k] * (1 + root) * (1 + root);
    const auto multiplicity = (eigenvalues.array() >= low && eigenvalues.array() <= high).count();
    const double g = static_cast<double>(multiplicity) / n;
    result[k] = eigenvalues[k] * (1 + g) / ((1 - g) * (1 - g));
  }
  const Index large = large_count(eigenvalues);
  result.head(large) *= eigenvalues.head(large).sum() / result.head(large).sum();
  if (large < dim) result.tail(dim - large) *= eigenvalues.tail(dim - large).sum() / result.tail(dim - large).sum();
  return result;
}

}  // namespace dsk::detail
