#include "learn/descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/minimise.hpp"

namespace dsk::detail {
namespace {

constexpr double no_value = std::numeric_limits<double>::infinity();
constexpr double smallest_unit = 1e-8;
/// Of C and theta, and one over the largest: beyond, kernels are all but constant or the unit matrix.
constexpr double smallest_factor = 1e-10;

}  // namespace

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
  PairSweep& pairs = composition_.pairs();
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
                                        const std::function<bool(const Iteration&)>& on_iteration) {
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
