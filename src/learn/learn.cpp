#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "learn/learn.hpp"
#include "learn/minimise.hpp"
#include "transform/transform.hpp"

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

double first_zeta(const FitOptions& options) {
  return options.zeta.value_or(KernelOptions().zeta);
}

detail::PairSpace space_of(const FitOptions& options) {
  return {.metric = options.metric,
          .zeta = first_zeta(options),
          .free_zeta = options.metric == Metric::powereuclidean && !options.zeta && !std::isinf(options.penalty)};
}

/// A training set, all that its learning needs, and the best kernel without an adjustment.
struct PreparedFit {
  PreparedFit(const Dataset& train, const FitOptions& options)
      : search(train.matrices(), options.pairs.threads, space_of(options)),
        composition(detail::row_of(options.criterion), train, search, options.pairs),
        unadjusted(plain_adjustment(options, search.log_eigenvalues(), train.weights())) {
    search.set_first(unadjusted);
    search.apply_plain(composition.pairs());
    best = detail::search_plain_kernel(composition, kernel(unadjusted, 1, options), train.matrices(), options);
  }

  static LearnedKernel kernel(const EigenvalueAdjustment& adjustment, double theta, const FitOptions& options) {
    return {Transform(), adjustment, theta, options.metric, first_zeta(options)};
  }

  detail::EigenvalueSearch search;
  detail::Composition composition;
  EigenvalueAdjustment unadjusted;
  PlainKernel best;
};

/// The criterion where the search starts. Throws NumericalFailure where that is out of the range of double.
double value_at(detail::Composition& composition, detail::EigenvalueSearch& search, const detail::DescentStart& start) {
  search.apply(search.start(), composition.pairs());
  return composition.gradient(start.theta, start.c).value;
}

}  // namespace

namespace detail {

bool has_steps_before(const FitOptions& options) {
  return options.recentre || options.components != 0;
}

Transform fit_steps_before(const Dataset& train, const FitOptions& options) {
  const int threads = options.pairs.threads;
  const Matrix centre = mean(train.matrices(), {.weights = train.weights(), .threads = threads}).matrix;
  if (options.components == 0) return Transform(Projection{whitening_of(centre)});
  // Learned in coordinates in which the mean is the unit matrix, a subspace is recentred already.
  const SubspaceLearner learner(train,
                                {.metric = options.metric,
                                 .zeta = first_zeta(options),
                                 .max_iterations = options.subspace_iterations,
                                 .pairs = options.pairs},
                                centre);
  return Transform(learner.learn(options.components).projection);
}

FitOptions without_steps_before(FitOptions options) {
  options.recentre = false;
  options.components = 0;
  return options;
}

Dataset transformed(const Dataset& data, const Transform& transform, const FitOptions& options) {
  return data.with_matrices(transform.apply(data.matrices(), options.pairs.threads));
}

}  // namespace detail

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
  return PreparedFit(train, options).best;
}

LearnResult fit_kernel(const Dataset& train, const FitOptions& options) {
  if (detail::has_steps_before(options)) {
    const Transform before = detail::fit_steps_before(train, options);
    LearnResult inside = fit_kernel(detail::transformed(train, before, options), detail::without_steps_before(options));
    const LearnedKernel& kernel = inside.kernel;
    return {LearnedKernel(before, kernel.adjustment(), kernel.theta(), kernel.metric(), kernel.zeta()),
            std::move(inside.fit)};
  }
  check(options, train.dim());
  PreparedFit prepared(train, options);
  detail::EigenvalueSearch& search = prepared.search;
  const PlainKernel& plain = prepared.best;
  if (std::isinf(options.penalty))
    return {PreparedFit::kernel(prepared.unadjusted, plain.theta, options),
            {.history = {plain.value}, .criterion = plain.value, .c = plain.c}};
  search.set_first(first_adjustment(options, search.log_eigenvalues(), train.weights()));
  detail::DescentStart start{.theta = plain.theta, .c = plain.c, .value = plain.value};
  if (!options.alpha0.empty()) start.value = value_at(prepared.composition, search, start);
  const detail::Descent descent(prepared.composition, search, start, options.penalty);
  const auto [point, fit] = descend(descent, options.max_iterations, options.tolerance, options.on_iteration);
  const Eigen::VectorXd found = descent.parameters(point);
  return {LearnedKernel(Transform(), search.adjustment(found), plain.theta, options.metric, search.zeta(found)), fit};
}

}  // namespace dsk
