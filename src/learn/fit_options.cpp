#include "learn/fit_options.hpp"
#include "kernel/kernel.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dsk::detail {
namespace {

void check_alpha0(const FitOptions& options, Index dim) {
  const std::vector<double>& given = options.alpha0;
  if (given.size() > 1 && std::ssize(given) != dim)
    throw InvalidInput(
        fmt::format("alpha0 has {} values; it must have 1, or {} for {} eigenvalues", given.size(), dim, dim));
  for (const double alpha : given)
    if (!std::isfinite(alpha) || (options.adjustment == Adjustment::coefficient && !(alpha > 0)))
      throw InvalidInput(fmt::format("alpha0 {} must be finite{}", alpha,
                                     options.adjustment == Adjustment::coefficient ? " and above 0" : ""));
}

double scale_factor(const Scale& scale, const MeanLogs& logs) {
  if (scale.kind == Scale::Kind::none) return 1;
  const double factor = scale.kind == Scale::Kind::unit ? std::exp(logs.of_all) : scale.factor;
  if (!(factor > 0 && std::isfinite(factor)))
    throw InvalidInput(fmt::format("scale {} must be finite and above 0", factor));
  return factor;
}

}  // namespace

void check_options(const FitOptions& options, Index dim) {
  if (!is_learnable(options.metric))
    throw InvalidInput(fmt::format("kernels by the metric {} cannot be learned; use one of {}", name(options.metric),
                                   learnable_metric_choices()));
  if (options.theta) check_theta(options.metric, *options.theta, dim, options.allow_indefinite);
  if (options.zeta && options.metric != Metric::powereuclidean)
    throw InvalidInput(fmt::format("zeta is for the power-Euclidean metric; {} has none", name(options.metric)));
  if (options.zeta && !(*options.zeta > 0 && std::isfinite(*options.zeta)))
    throw InvalidInput(fmt::format("zeta {} must be finite and above 0", *options.zeta));
  if (options.c && !(*options.c > 0 && std::isfinite(*options.c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", *options.c));
  if (!(options.penalty >= 0)) throw InvalidInput(fmt::format("penalty {} must be 0 or more", options.penalty));
  check_alpha0(options, dim);
  if (options.max_iterations < 0)
    throw InvalidInput(fmt::format("max_iterations {} must be 0 or more", options.max_iterations));
  if (!(options.tolerance >= 0)) throw InvalidInput(fmt::format("tolerance {} must be 0 or more", options.tolerance));
}

MeanLogs mean_logs(const Matrix& log_eigenvalues, const std::vector<double>& weights) {
  if (weights.empty()) return {log_eigenvalues.colwise().mean().transpose(), log_eigenvalues.mean()};
  const Eigen::Map<const Eigen::VectorXd> of_rows(weights.data(), log_eigenvalues.rows());
  const Eigen::VectorXd means = log_eigenvalues.transpose() * of_rows / of_rows.sum();
  return {means, means.mean()};
}

EigenvalueAdjustment plain_adjustment(const FitOptions& options, const MeanLogs& logs) {
  EigenvalueAdjustment plain = EigenvalueAdjustment::none(logs.of_each.size(), options.adjustment);
  plain.scale = scale_factor(options.scale, logs);
  if (options.adjustment == Adjustment::affine) plain.centre = logs.of_each.array() - std::log(plain.scale);
  return plain;
}

EigenvalueAdjustment first_adjustment(const FitOptions& options, const MeanLogs& logs) {
  EigenvalueAdjustment first = plain_adjustment(options, logs);
  const std::vector<double>& given = options.alpha0;
  for (std::size_t z = 0; !given.empty() && z < static_cast<std::size_t>(first.dim()); ++z)
    first.alpha[static_cast<Index>(z)] = given[given.size() == 1 ? 0 : z];
  return first;
}

double first_zeta(const FitOptions& options) {
  return options.zeta.value_or(KernelOptions().zeta);
}

PairSpace space_of(const FitOptions& options) {
  return {.metric = options.metric,
          .zeta = first_zeta(options),
          .free_zeta = options.metric == Metric::powereuclidean && !options.zeta && !std::isinf(options.penalty)};
}

LearnedKernel first_kernel(const EigenvalueAdjustment& adjustment, double theta, const FitOptions& options) {
  return {Transform(), adjustment, theta, options.metric, first_zeta(options)};
}

}  // namespace dsk::detail
