#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/minimise.hpp"
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
/// relative. The point is the transform's parameters, then log C for a criterion that has one.
class Descent {
 public:
  Descent(detail::Composition& composition, detail::TransformSearch& search, const PlainKernel& plain, double penalty)
      : composition_(composition),
        search_(search),
        theta_(plain.theta),
        penalty_(penalty),
        unit_((composition.criterion().maximised ? -1 : 1) * std::max(std::abs(plain.value), smallest_unit)) {}

  Eigen::VectorXd start(double c) const {
    const Eigen::VectorXd parameters = search_.start();
    if (!soft()) return parameters;
    Eigen::VectorXd point(parameters.size() + 1);
    point << parameters, std::log(c);
    return point;
  }
  Eigen::VectorXd parameters(const Eigen::VectorXd& point) const { return point.head(point.size() - (soft() ? 1 : 0)); }
  double c(const Eigen::VectorXd& point) const { return soft() ? std::exp(point[point.size() - 1]) : 0; }

  double operator()(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) const {
    gradient = Eigen::VectorXd::Zero(point.size());
    const double here = c(point);
    if (soft() && !(here > smallest_c && here < 1 / smallest_c)) return infinity;
    const Eigen::VectorXd at = parameters(point);
    try {
      search_.apply(at, composition_.pairs());
      const detail::KernelGradient found = composition_.gradient(theta_, here);
      Eigen::VectorXd by_parameters = search_.pull_back(found.inverses, theta_);
      composition_.pairs().add_up({by_parameters.data(), static_cast<std::size_t>(by_parameters.size())});
      gradient.head(at.size()) = by_parameters / unit_;
      if (soft()) gradient[at.size()] = found.by_log_c / unit_;
      return found.value / unit_ + weight() * search_.penalty(at, weight(), gradient);
    } catch (const NumericalFailure&) {
      return infinity;  // the step left the range of double or of positive definiteness
    }
  }

  /// The objective in the criterion's own units.
  double objective(double value) const { return value * unit_; }
  double penalty(const Eigen::VectorXd& point) const {
    Eigen::VectorXd unused = Eigen::VectorXd::Zero(point.size());
    return penalty_ * search_.penalty(parameters(point), 0, unused);
  }

 private:
  static constexpr double smallest_unit = 1e-8;
  static constexpr double smallest_c = 1e-10;
  bool soft() const { return composition_.criterion().has_soft_margin; }
  double weight() const { return penalty_ / std::abs(unit_); }

  detail::Composition& composition_;
  detail::TransformSearch& search_;
  double theta_;
  double penalty_;
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
  detail::EigenvalueSearch search(train.matrices(), options.pairs.threads);
  detail::Composition composition(detail::row_of(options.criterion), train.labels(), search, options.pairs);
  return detail::search_plain_kernel(composition, train.matrices(), options);
}

LearnResult fit_kernel(const Dataset& train, const FitOptions& options) {
  check(options, train.dim());
  detail::EigenvalueSearch search(train.matrices(), options.pairs.threads);
  detail::Composition composition(detail::row_of(options.criterion), train.labels(), search, options.pairs);
  const PlainKernel plain = detail::search_plain_kernel(composition, train.matrices(), options);
  search.set_plain(plain_adjustment(options, search.log_eigenvalues()));
  const Descent descent(composition, search, plain, options.penalty);
  const Eigen::VectorXd start = descent.start(plain.c);
  const auto kernel_at = [&](const Eigen::VectorXd& point) {
    return LearnedKernel(search.adjustment(descent.parameters(point)), plain.theta);
  };
  Fit fit;
  fit.history.push_back(plain.value);
  fit.criterion = plain.value;
  fit.c = plain.c;
  if (std::isinf(options.penalty)) return {kernel_at(start), fit};

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
  fit.c = descent.c(best.point);
  const double penalty = descent.penalty(best.point);
  if (std::isfinite(best.value))
    fit.criterion = descent.objective(best.value) + (is_maximised(options.criterion) ? penalty : -penalty);
  if (best.point != start) {
    // A line search that failed may have seen a better point than where the last iteration ended.
    if (fit.iterations == 0) fit.history.push_back(plain.value), fit.iterations = 1;
    fit.history.back() = descent.objective(best.value);
  }
  return {kernel_at(best.point), std::move(fit)};
}

}  // namespace dsk
