#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "learn/learn.hpp"
#include "learn/minimise.hpp"

namespace dsk {
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

void check(const FitOptions& options, Index dim) {
  if (options.theta) check_theta(Metric::stein, *options.theta, dim, options.allow_indefinite);
  if (options.c && !(*options.c > 0 && std::isfinite(*options.c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", *options.c));
  if (!(options.penalty >= 0)) throw InvalidInput(fmt::format("penalty {} must be 0 or more", options.penalty));
  check_alpha0(options, dim);
  if (options.max_iterations < 0)
    throw InvalidInput(fmt::format("max_iterations {} must be 0 or more", options.max_iterations));
  if (!(options.tolerance >= 0)) throw InvalidInput(fmt::format("tolerance {} must be 0 or more", options.tolerance));
}

/// The mean of each logarithm over the matrices, with their weights.
Eigen::VectorXd mean_logs(const Matrix& log_eigenvalues, const std::vector<double>& weights) {
  if (weights.empty()) return log_eigenvalues.colwise().mean().transpose();
  const Eigen::Map<const Eigen::VectorXd> of_rows(weights.data(), log_eigenvalues.rows());
  return log_eigenvalues.transpose() * of_rows / of_rows.sum();
}

double scale_factor(const Scale& scale, const Matrix& log_eigenvalues, const std::vector<double>& weights) {
  if (scale.kind == Scale::Kind::none) return 1;
  const auto unit = [&] {
    return std::exp(weights.empty() ? log_eigenvalues.mean() : mean_logs(log_eigenvalues, weights).mean());
  };
  const double factor = scale.kind == Scale::Kind::unit ? unit() : scale.factor;
  if (!(factor > 0 && std::isfinite(factor)))
    throw InvalidInput(fmt::format("scale {} must be finite and above 0", factor));
  return factor;
}

EigenvalueAdjustment plain_adjustment(const FitOptions& options, const Matrix& log_eigenvalues,
                                      const std::vector<double>& weights) {
  EigenvalueAdjustment plain = EigenvalueAdjustment::none(log_eigenvalues.cols(), options.adjustment);
  plain.scale = scale_factor(options.scale, log_eigenvalues, weights);
  if (options.adjustment == Adjustment::affine)
    plain.centre = mean_logs(log_eigenvalues, weights).array() - std::log(plain.scale);
  return plain;
}

/// What the search starts from and is drawn to.
EigenvalueAdjustment first_adjustment(const FitOptions& options, const Matrix& log_eigenvalues,
                                      const std::vector<double>& weights) {
  EigenvalueAdjustment first = plain_adjustment(options, log_eigenvalues, weights);
  const std::vector<double>& given = options.alpha0;
  for (std::size_t z = 0; !given.empty() && z < static_cast<std::size_t>(first.dim()); ++z)
    first.alpha[static_cast<Index>(z)] = given[given.size() == 1 ? 0 : z];
  return first;
}

/// Learns a subspace, and the rest there.
LearnResult fit_in_subspace(const Dataset& train, const FitOptions& options) {
  const SubspaceLearner learner(train, {.max_iterations = options.subspace_iterations, .pairs = options.pairs});
  const Transform before(learner.learn(options.components).projection);
  FitOptions inside = options;
  inside.components = 0;
  LearnResult learned = fit_kernel(train.with_matrices(before.apply(train.matrices(), options.pairs.threads)), inside);
  return {LearnedKernel(before, learned.kernel.adjustment(), learned.kernel.theta()), std::move(learned.fit)};
}

/// The criterion where the search starts. Throws NumericalFailure where that is out of the range of double.
double value_at(detail::Composition& composition, detail::EigenvalueSearch& search, const detail::DescentStart& start) {
  search.apply(search.start(), composition.pairs());
  return composition.gradient(start.theta, start.c).value;
}

}  // namespace

Scale Scale::parse(std::string_view text) {
  if (text == "none") return {};
  if (text == "unit") return {Kind::unit, 1};
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc() || end != text.data() + text.size() || !(factor > 0 && std::isfinite(factor)))
    throw InvalidInput(fmt::format("scale '{}' is not none, unit or a number above 0", text));
  return {Kind::number, factor};
}

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::iteration_limit:
      return "iteration_limit";
    case StopReason::line_search:
      return "line_search";
    case StopReason::cancelled:
      return "cancelled";
  }
  throw InvalidInput(fmt::format("stop reason number {} is unknown", static_cast<int>(reason)));
}

PlainKernel best_plain_kernel(const Dataset& train, const FitOptions& options) {
  check(options, train.dim());
  detail::EigenvalueSearch search(train.matrices(), options.pairs.threads);
  detail::Composition composition(detail::row_of(options.criterion), train, search, options.pairs);
  return detail::search_plain_kernel(composition, train.matrices(), options);
}

LearnResult fit_kernel(const Dataset& train, const FitOptions& options) {
  if (options.components != 0) return fit_in_subspace(train, options);
  check(options, train.dim());
  detail::EigenvalueSearch search(train.matrices(), options.pairs.threads);
  detail::Composition composition(detail::row_of(options.criterion), train, search, options.pairs);
  const PlainKernel plain = detail::search_plain_kernel(composition, train.matrices(), options);
  if (std::isinf(options.penalty))
    return {LearnedKernel(plain_adjustment(options, search.log_eigenvalues(), train.weights()), plain.theta),
            {.history = {plain.value}, .criterion = plain.value, .c = plain.c}};
  search.set_first(first_adjustment(options, search.log_eigenvalues(), train.weights()));
  detail::DescentStart start{.theta = plain.theta, .c = plain.c, .value = plain.value};
  if (!options.alpha0.empty()) start.value = value_at(composition, search, start);
  const detail::Descent descent(composition, search, start, options.penalty);
  const auto [point, fit] = descend(descent, options.max_iterations, options.tolerance, options.on_iteration);
  return {LearnedKernel(search.adjustment(descent.parameters(point)), plain.theta), fit};
}

}  // namespace dsk
