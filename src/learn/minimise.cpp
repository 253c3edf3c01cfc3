#include "learn/minimise.hpp"

#include <LBFGS.h>

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
    best_.stop = StopReason::iteration_limit;
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
      best.stop = !std::isfinite(best.value)                 ? StopReason::line_search
                  : best.iterations < options.max_iterations ? StopReason::converged
                                                             : StopReason::iteration_limit;
      return best;
    } catch (const Cancelled&) {
      best.stop = StopReason::cancelled;
      return best;
    } catch (const std::exception&) {
      if (watched.error()) std::rethrow_exception(watched.error());
      best.stop = StopReason::line_search;
    }
    const double gain = before - best.value;
    if (!(gain > options.tolerance * std::max(1.0, std::abs(best.value)))) return best;
  }
  return best;
}

}  // namespace dsk::detail
