#include "classify/pairwise_svm.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "machine/parallel.hpp"

namespace dsk {

double Sigmoid::operator()(double decision) const {
  const double exponent = slope * decision + intercept;
  return exponent >= 0 ? std::exp(-exponent) / (1 + std::exp(-exponent)) : 1 / (1 + std::exp(exponent));
}

namespace detail {
namespace {

constexpr std::size_t fold_count = 5;

/// The negative log-likelihood of the targets t under 1 / (1 + exp(z)), without overflow.
double negative_log_likelihood(const Eigen::ArrayXd& z, const Eigen::ArrayXd& t) {
  return (z >= 0).select(t * z + (-z).exp().log1p(), (t - 1) * z + z.min(0.0).exp().log1p()).sum();
}

/// The fold of each point; each sign is spread evenly over the folds. The same on every platform.
std::vector<std::size_t> assign_folds(std::span<const int> signs, std::mt19937_64& random) {
  std::vector<std::size_t> fold(signs.size());
  std::size_t next = 0;
  for (const int sign : {1, -1}) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < signs.size(); ++i)
      if (signs[i] == sign) members.push_back(i);
    for (std::size_t k = members.size(); k > 1; --k) std::swap(members[k - 1], members[random() % k]);
    for (const std::size_t i : members) fold[i] = next++ % fold_count;
  }
  return fold;
}

/// Computes decision values for the points left out. If only one sign is left to train on, it always wins.
void decide_others(const Matrix& kernel, std::span<const int> signs, const std::vector<bool>& trained_on,
                   const SvmOptions& options, std::pair<double, double> weights, std::span<const double> of_points,
                   Eigen::VectorXd& decisions) {
  std::vector<Index> train, test;
  std::vector<int> train_signs;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    (trained_on[i] ? train : test).push_back(static_cast<Index>(i));
    if (trained_on[i]) train_signs.push_back(signs[i]);
  }
  const std::set<int> sides(train_signs.begin(), train_signs.end());
  if (sides.size() < 2) {
    for (const Index i : test) decisions[i] = sides.empty() ? 0 : *sides.begin();
    return;
  }
  const BinarySvm machine =
      train_binary(kernel(train, train), train_signs, options.c, weights, options.margin, selected(of_points, train));
  const Eigen::VectorXd values = kernel(test, train) * machine.coefficients;
  for (std::size_t k = 0; k < test.size(); ++k) decisions[test[k]] = values[static_cast<Index>(k)] + machine.offset;
}

}  // namespace

Sigmoid fit_sigmoid(const Eigen::VectorXd& decisions, std::span<const int> signs) {
  const auto positive = static_cast<double>(std::count(signs.begin(), signs.end(), 1));
  const double negative = static_cast<double>(signs.size()) - positive;
  const Eigen::ArrayXd f = decisions;
  Eigen::ArrayXd t(f.size());
  for (Index i = 0; i < f.size(); ++i)
    t[i] = signs[static_cast<std::size_t>(i)] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);

  constexpr int most_steps = 100;
  constexpr double smallest_step = 1e-10, ridge = 1e-12, flat = 1e-8;
  Sigmoid best{0, std::log((negative + 1) / (positive + 1))};
  double value = negative_log_likelihood(best.slope * f + best.intercept, t);
  for (int step = 0; step < most_steps; ++step) {
    const Eigen::ArrayXd p = f.unaryExpr([&](double decision) { return best(decision); });
    const Eigen::ArrayXd curvature = p * (1 - p), residual = t - p;
    const Eigen::Vector2d gradient((f * residual).sum(), residual.sum());
    if (gradient.cwiseAbs().maxCoeff() < flat) break;
    Eigen::Matrix2d hessian;
    hessian << (f.square() * curvature).sum() + ridge, (f * curvature).sum(), (f * curvature).sum(),
        curvature.sum() + ridge;
    const Eigen::Vector2d direction = -hessian.inverse() * gradient;
    const double descent = gradient.dot(direction);
    double size = 1;
    for (; size >= smallest_step; size /= 2) {
      const Sigmoid tried{best.slope + size * direction[0], best.intercept + size * direction[1]};
      const double tried_value = negative_log_likelihood(tried.slope * f + tried.intercept, t);
      if (tried_value >= value + 1e-4 * size * descent) continue;
      best = tried;
      value = tried_value;
      break;
    }
    if (size < smallest_step) break;
  }
  if (best.slope <= 0) return best;
  // The likelihood is concave: with slopes above 0 excluded, its maximum has slope 0 and the mean of the targets.
  const double mean = t.mean();
  return {0, std::log((1 - mean) / mean)};
}

std::vector<Sigmoid> calibrate(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options,
                               std::uint64_t seed) {
  const std::set<int> distinct(classes.begin(), classes.end());
  const std::vector<int> known(distinct.begin(), distinct.end());
  const auto pairs = all_pairs(known.size());
  const std::vector<std::vector<Index>> by_class = members_by_class(classes, known);
  std::vector<Sigmoid> sigmoids(pairs.size());
  const double per_pair = 2 * static_cast<double>(classes.size()) / static_cast<double>(known.size());
  const auto weight = [&](std::size_t c) { return options.class_weights.empty() ? 1 : options.class_weights[c]; };
  for_ranges(
      static_cast<Index>(pairs.size()), options.threads, 200 * per_pair * per_pair, [&](Index first, Index last) {
        for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
          const auto [a, b] = pairs[p];
          const auto [members, signs] = members_of_pair(by_class[a], by_class[b]);
          const Matrix block = kernel(members, members);
          std::mt19937_64 random(seed + p);
          const std::vector<std::size_t> fold = assign_folds(signs, random);
          Eigen::VectorXd decisions(block.rows());
          const std::vector<double> of_points = selected(options.sample_weights, members);
          for (std::size_t k = 0; k < fold_count; ++k) {
            std::vector<bool> trained_on(fold.size());
            std::transform(fold.begin(), fold.end(), trained_on.begin(), [k](std::size_t own) { return own != k; });
            decide_others(block, signs, trained_on, options, {weight(a), weight(b)}, of_points, decisions);
          }
          sigmoids[p] = fit_sigmoid(decisions, signs);
        }
      });
  return sigmoids;
}

Eigen::RowVectorXd couple(const Eigen::RowVectorXd& first_of_pair, std::size_t classes) {
  // Minimises the sum over pairs of (r_ba p_a - r_ab p_b)^2 with sum(p) = 1, whose solution is never negative: it
  // solves (Q + 11') p = a multiple of 1.
  const auto count = static_cast<Index>(classes);
  Matrix q = Matrix::Ones(count, count);
  Index p = 0;
  for (const auto& [first, second] : all_pairs(classes)) {
    constexpr double smallest = 1e-7;
    const auto a = static_cast<Index>(first), b = static_cast<Index>(second);
    const double r = std::clamp(first_of_pair[p++], smallest, 1 - smallest);
    q(a, a) += (1 - r) * (1 - r);
    q(b, b) += r * r;
    q(a, b) -= r * (1 - r);
    q(b, a) -= r * (1 - r);
  }
  const Eigen::VectorXd solution = q.ldlt().solve(Eigen::VectorXd::Ones(count)).cwiseMax(0);
  return solution.transpose() / solution.sum();
}

}  // namespace detail
}  // namespace dsk
