#include "learn/minimise.hpp"

#include <LBFGS.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

namespace dsk::detail {
namespace {

struct Cancelled : std::exception {};

/// The function as the solver sees it; remembers the best point and counts.
class Watched {
 public:
  Watched(const DifferentiableFunction& function, const MinimiseOptions& options, Eigen::VectorXd start)
      : function_(function), options_(options) {
    best_.point = std::move(start);
    best_.value = std::numeric_limits<double>::infinity();
    best_.stop = Fit::Stop::iteration_limit;
  }

  double operator()(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) {
    double value = 0;
    try {
      value = function_(point, gradient);
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
    ++best_.evaluations;
    if (!std::isfinite(value) || !gradient.allFinite()) {
      value = std::numeric_limits<double>::infinity();
      gradient = Eigen::VectorXd::Zero(point.size());
    } else if (value < best_.value) {
      best_.value = value;
      best_.point = point;
    }
    return value;
  }

  void iterated(const Eigen::VectorXd& point, double value, double gradient_norm) {
    ++best_.iterations;
    if (options_.on_iteration && !options_.on_iteration(point, value, gradient_norm)) throw Cancelled();
  }

  Minimum& best() { return best_; }
  /// What the function threw, if anything.
  const std::exception_ptr& error() const { return error_; }

 private:
  const DifferentiableFunction& function_;
  const MinimiseOptions& options_;
  Minimum best_;
  std::exception_ptr error_;
};

/// The library calls its line search once per iteration: the place to tell of it.
template <class Scalar>
struct WatchedLineSearch {
  template <class... Arguments>
  static void LineSearch(Watched& function, Scalar& value, Eigen::VectorXd& point, Eigen::VectorXd& gradient,
                         Arguments&&... arguments) {
    LBFGSpp::LineSearchBacktracking<Scalar>::LineSearch(function, value, point, gradient,
                                                        std::forward<Arguments>(arguments)...);
    function.iterated(point, value, gradient.norm());
  }
};

LBFGSpp::LBFGSParam<double> parameters(const MinimiseOptions& options, int iterations_left) {
  LBFGSpp::LBFGSParam<double> parameters;
  parameters.m = 10;
  parameters.epsilon = 1e-10;
  parameters.epsilon_rel = 1e-10;
  parameters.past = 1;
  parameters.delta = options.tolerance;
  parameters.max_iterations = iterations_left;
  parameters.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
  parameters.max_linesearch = 40;
  return parameters;
}

constexpr double no_value = std::numeric_limits<double>::infinity();
constexpr double smallest_unit = 1e-8;
/// Of C and theta, and one over the largest: beyond, kernels are all but constant or the unit matrix.
constexpr double smallest_factor = 1e-10;

}  // namespace

Minimum minimise(const DifferentiableFunction& function, Eigen::VectorXd start, const MinimiseOptions& options) {
  Watched watched(function, options, std::move(start));
  Minimum& best = watched.best();
  while (best.iterations < options.max_iterations) {
    const double before = best.value;
    const auto settings = parameters(options, options.max_iterations - best.iterations);  // the solver refers to them
    try {
      LBFGSpp::LBFGSSolver<double, WatchedLineSearch> solver(settings);
      Eigen::VectorXd point = best.point;
      double value = 0;
      solver.minimize(watched, point, value);
      best.stop = !std::isfinite(best.value)                 ? Fit::Stop::line_search
                  : best.iterations < options.max_iterations ? Fit::Stop::converged
                                                             : Fit::Stop::iteration_limit;
      return best;
    } catch (const Cancelled&) {
      best.stop = Fit::Stop::cancelled;
      return best;
    } catch (const std::exception&) {
      if (watched.error()) std::rethrow_exception(watched.error());
      best.stop = Fit::Stop::line_search;
    }
    const double gain = before - best.value;
    if (!(gain > options.tolerance * std::max(1.0, std::abs(best.value)))) return best;
  }
  return best;
}

Descent::Descent(Composition& composition, TransformSearch& search, const DescentStart& start, double penalty)
    : composition_(composition),
      search_(search),
      origin_(start),
      penalty_(penalty),
      unit_((composition.criterion().maximised ? -1 : 1) * std::max(std::abs(start.value), smallest_unit)) {}

double Descent::weight() const {
  return penalty_ / std::abs(unit_);
}

Eigen::VectorXd Descent::start() const {
  const Eigen::VectorXd parameters = search_.start();
  if (!has_last()) return parameters;
  Eigen::VectorXd point(parameters.size() + 1);
  point << parameters, std::log(soft() ? origin_.c : origin_.theta);
  return point;
}

Eigen::VectorXd Descent::parameters(const Eigen::VectorXd& point) const {
  return point.head(point.size() - (has_last() ? 1 : 0));
}

double Descent::theta(const Eigen::VectorXd& point) const {
  return origin_.free_theta ? std::exp(point[point.size() - 1]) : origin_.theta;
}

double Descent::c(const Eigen::VectorXd& point) const {
  return soft() ? std::exp(point[point.size() - 1]) : 0;
}

double Descent::operator()(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) const {
  gradient = Eigen::VectorXd::Zero(point.size());
  if (has_last() && !(std::abs(point[point.size() - 1]) < -std::log(smallest_factor))) return no_value;
  const Eigen::VectorXd at = parameters(point);
  const double width = theta(point);
  PairSums& pairs = composition_.pairs();
  try {
    search_.apply(at, pairs);
    const KernelGradient found = composition_.gradient(width, c(point));
    gradient.head(at.size()) = search_.pull_back(found.inverses, width);
    if (origin_.free_theta) gradient[at.size()] = -width * found.inverses.divergence_sums.sum();
    pairs.add_up({gradient.data(), static_cast<std::size_t>(at.size() + (origin_.free_theta ? 1 : 0))});
    gradient /= unit_;
    if (soft()) gradient[at.size()] = found.by_log_c / unit_;
    return found.value / unit_ + weight() * search_.penalty(at, weight(), gradient);
  } catch (const NumericalFailure&) {
    gradient.setZero();
    return no_value;  // the step left the range of double or of positive definiteness
  }
}

double Descent::penalty(const Eigen::VectorXd& point) const {
  Eigen::VectorXd unused = Eigen::VectorXd::Zero(point.size());
  return penalty_ * search_.penalty(parameters(point), 0, unused);
}

std::pair<Eigen::VectorXd, Fit> descend(const Descent& descent, int max_iterations, double tolerance,
                                        const std::function<bool(const Fit::Iteration&)>& on_iteration) {
  const Eigen::VectorXd start = descent.start();
  Fit fit;
  fit.history.push_back(descent.origin().value);
  fit.criterion = descent.origin().value;
  const auto keep = [&](const Eigen::VectorXd&, double value, double gradient_norm) {
    fit.history.push_back(descent.objective(value));
    return !on_iteration || on_iteration({static_cast<int>(fit.history.size()) - 1, fit.history.back(),
                                          std::abs(descent.objective(gradient_norm))});
  };
  const Minimum best = minimise(std::cref(descent), start,
                                {.max_iterations = max_iterations, .tolerance = tolerance, .on_iteration = keep});
  fit.stop = best.stop;
  fit.iterations = best.iterations;
  fit.evaluations = best.evaluations;
  fit.c = descent.c(best.point);
  const double penalty = descent.penalty(best.point);
  if (std::isfinite(best.value))
    fit.criterion = descent.objective(best.value) + (descent.is_maximised() ? penalty : -penalty);
  if (best.point != start) {
    // A line search that failed may have seen a better point than where the last iteration ended.
    if (fit.iterations == 0) fit.history.push_back(descent.origin().value), fit.iterations = 1;
    fit.history.back() = descent.objective(best.value);
  }
  return {best.point, std::move(fit)};
}

}  // namespace dsk::detail
