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

void check(const FitOptions& options, Index dim) {
  if (options.theta) check_theta(Metric::stein, *options.theta, dim, options.allow_indefinite);
  if (options.c && !(*options.c > 0 && std::isfinite(*options.c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", *options.c));
  if (!(options.penalty >= 0)) throw InvalidInput(fmt::format("penalty {} must be 0 or more", options.penalty));
  if (options.max_iterations < 0)
    throw InvalidInput(fmt::format("max_iterations {} must be 0 or more", options.max_iterations));
  if (!(options.tolerance >= 0)) throw InvalidInput(fmt::format("tolerance {} must be 0 or more", options.tolerance));
}

double scale_factor(const Scale& scale, const Matrix& log_eigenvalues) {
  if (scale.kind == Scale::Kind::none) return 1;
  const double factor = scale.kind == Scale::Kind::unit ? std::exp(log_eigenvalues.mean()) : scale.factor;
  if (!(factor > 0 && std::isfinite(factor)))
    throw InvalidInput(fmt::format("scale {} must be finite and above 0", factor));
  return factor;
}

EigenvalueAdjustment plain_adjustment(const FitOptions& options, const Matrix& log_eigenvalues) {
  EigenvalueAdjustment plain = EigenvalueAdjustment::none(log_eigenvalues.cols(), options.adjustment);
  plain.scale = scale_factor(options.scale, log_eigenvalues);
  if (options.adjustment == Adjustment::affine)
    plain.centre = log_eigenvalues.colwise().mean().transpose().array() - std::log(plain.scale);
  return plain;
}

/// Learns a subspace, and the rest there.
LearnResult fit_in_subspace(const Dataset& train, const FitOptions& options) {
  const SubspaceLearner learner(train, {.max_iterations = options.subspace_iterations, .pairs = options.pairs});
  const Transform before(learner.learn(options.components).projection);
  FitOptions inside = options;
  inside.components = 0;
  LearnResult learned =
      fit_kernel(Dataset(before.apply(train.matrices(), options.pairs.threads), train.labels()), inside);
  return {LearnedKernel(before, learned.kernel.adjustment(), learned.kernel.theta()), std::move(learned.fit)};
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
  detail::Composition composition(detail::row_of(options.criterion), train.labels(), search, options.pairs);
  return detail::search_plain_kernel(composition, train.matrices(), options);
}

LearnResult fit_kernel(const Dataset& train, const FitOptions& options) {
  if (options.components != 0) return fit_in_subspace(train, options);
  check(options, train.dim());
  detail::EigenvalueSearch search(train.matrices(), options.pairs.threads);
  detail::Composition composition(detail::row_of(options.criterion), train.labels(), search, options.pairs);
  const PlainKernel plain = detail::search_plain_kernel(composition, train.matrices(), options);
  search.set_plain(plain_adjustment(options, search.log_eigenvalues()));
  const detail::Descent descent(composition, search, {.theta = plain.theta, .c = plain.c, .value = plain.value},
                                options.penalty);
  const Eigen::VectorXd start = descent.start();
  const auto kernel_at = [&](const Eigen::VectorXd& point) {
    return LearnedKernel(search.adjustment(descent.parameters(point)), plain.theta);
  };
  if (std::isinf(options.penalty))
    return {kernel_at(start), {.history = {plain.value}, .criterion = plain.value, .c = plain.c}};
  const auto [point, fit] = descend(descent, options.max_iterations, options.tolerance, options.on_iteration);
  return {kernel_at(point), fit};
}

}  // namespace dsk
