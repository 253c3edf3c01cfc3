#pragma once

#include <dsk/learn.hpp>

#include <functional>

namespace dsk::detail {

/// The value at a point, its gradient written to the second argument; infinite where there is none.
using DifferentiableFunction = std::function<double(const Eigen::VectorXd& point, Eigen::VectorXd& gradient)>;
/// Called after each iteration; false stops.
using IterationVisitor = std::function<bool(const Eigen::VectorXd& point, double value, double gradient_norm)>;

struct MinimiseOptions {
  int max_iterations = 100;
  double tolerance = 1e-5;  ///< change of the value, relative to the larger of 1 and the value, at which to stop
  IterationVisitor on_iteration = {};
};

struct Minimum {
  Eigen::VectorXd point;  ///< the best of all points seen
  double value = 0;
  int iterations = 0;
  int evaluations = 0;
  StopReason stop = StopReason::converged;
};

/// L-BFGS with a line search that steps back from infinite values. Where a line search fails it starts again from the
/// best point with an empty memory.
Minimum minimise(const DifferentiableFunction& function, Eigen::VectorXd start, const MinimiseOptions& options);

}  // namespace dsk::detail
