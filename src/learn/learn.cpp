#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/minimise.hpp"
#include "learn/parameters.hpp"
#include "learn/theta.hpp"

namespace dsk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

/// The objective as the optimiser wants it: minimised, and divided by the plain kernel's size, so that its tolerance is
/// relative.
class Descent {
 public:
  Descent(const FitOptions& options, const CriterionFunction& function, const detail::Parameters& parameters,
          const PlainKernel& plain)
      : options_(options),
        function_(function),
        parameters_(parameters),
        theta_(plain.theta),
        unit_((is_maximised(options.criterion) ? -1 : 1) * std::max(std::abs(plain.value), smallest_unit)) {}

  double operator()(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) const {
    gradient = Eigen::VectorXd::Zero(point.size());
    const double c = parameters_.c(point);
    if (has_soft_margin(options_.criterion) && !(c > smallest_c && c < 1 / smallest_c)) return infinity;
    try {
      const CriterionGradient found = function_(LearnedKernel(parameters_.adjustment(point), theta_), c);
      gradient = parameters_.gradient(found) / unit_;
      return found.value / unit_ + weight() * parameters_.penalty(point, weight(), gradient);
    } catch (const InvalidInput&) {
      return infinity;  // the step left the range of double or of positive definiteness
    }
  }

  /// The objective in the criterion's own units.
  double objective(double value) const { return value * unit_; }

 private:
  static constexpr double smallest_unit = 1e-8;
  static constexpr double smallest_c = 1e-10;
  double weight() const { return options_.penalty / std::abs(unit_); }

  const FitOptions& options_;
  const CriterionFunction& function_;
  const detail::Parameters& parameters_;
  double theta_;
  double unit_;
};

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
  return detail::search_plain_kernel(CriterionFunction(options.criterion, train, options.pairs), train.dim(), options);
}

LearnResult fit_kernel(const Dataset& train, const FitOptions& options) {
  check(options, train.dim());
  const CriterionFunction function(options.criterion, train, options.pairs);
  const PlainKernel plain = detail::search_plain_kernel(function, train.dim(), options);
  const detail::Parameters parameters(plain_adjustment(options, function.log_eigenvalues()),
                                      has_soft_margin(options.criterion));
  const Eigen::VectorXd start = parameters.start(plain.c);
  Fit fit;
  fit.history.push_back(plain.value);
  fit.criterion = plain.value;
  fit.c = plain.c;
  if (std::isinf(options.penalty)) return {LearnedKernel(parameters.adjustment(start), plain.theta), fit};

  const Descent descent(options, function, parameters, plain);
  const auto on_iteration = [&](const Eigen::VectorXd&, double value, double gradient_norm) {
    fit.history.push_back(descent.objective(value));
    return !options.on_iteration || options.on_iteration({static_cast<int>(fit.history.size()) - 1, fit.history.back(),
                                                          std::abs(descent.objective(gradient_norm))});
  };
  const detail::Minimum best = detail::minimise(
      std::cref(descent), start,
      {.max_iterations = options.max_iterations, .tolerance = options.tolerance, .on_iteration = on_iteration});
  fit.stop = best.stop;
  fit.iterations = best.iterations;
  fit.evaluations = best.evaluations;
  fit.c = parameters.c(best.point);
  Eigen::VectorXd unused = Eigen::VectorXd::Zero(start.size());
  const double penalty = options.penalty * parameters.penalty(best.point, 0, unused);
  if (std::isfinite(best.value))
    fit.criterion = descent.objective(best.value) + (is_maximised(options.criterion) ? penalty : -penalty);
  if (best.point != start) {
    // A line search that failed may have seen a better point than where the last iteration ended.
    if (fit.iterations == 0) fit.history.push_back(plain.value), fit.iterations = 1;
    fit.history.back() = descent.objective(best.value);
  }
  return {LearnedKernel(parameters.adjustment(best.point), plain.theta), std::move(fit)};
}

}  // namespace dsk
