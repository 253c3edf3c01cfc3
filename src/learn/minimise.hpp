#pragma once

#include <dsk/learn.hpp>

#include <functional>
#include <utility>

#include "learn/learn.hpp"
#include "learn/objective.hpp"

namespace dsk::detail {

/// The median of the divergences, or squared distances, of different matrices by a kernel, from some of them; 0 where
/// all are equal.
double typical_divergence(const LearnedKernel& kernel, const SpdBatch& x, int threads);

/// The criterion of the plain kernel for every theta (rows) and C (columns). One that is minimised may be infinite
/// where it is above `limit`, or above another one of these.
using PlainValues = std::function<Matrix(std::span<const double> thetas, std::span<const double> cs, double limit)>;

/// The best theta (and C) by the criterion of the options for the kernel `plain`; keeps what the options give. x are
/// the matrices, or some of them. Throws InvalidInput if the criterion is finite nowhere.
PlainKernel search_plain_kernel(const PlainValues& values_of, const LearnedKernel& plain, const SpdBatch& x,
                                const FitOptions& options);

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
  Fit::Stop stop = Fit::Stop::converged;
};

/// L-BFGS with a line search that steps back from infinite values. Where a line search fails it starts again from the
/// best point with an empty memory.
Minimum minimise(const DifferentiableFunction& function, Eigen::VectorXd start, const MinimiseOptions& options);

/// Where a descent starts, beside the start of the transform's parameters.
struct DescentStart {
  double theta = 1;
  double c = 0;             ///< of a criterion that has a soft margin
  double value = 0;         ///< of the criterion there
  bool free_theta = false;  ///< optimise theta as well; not with a soft margin
};

/// The objective as the optimiser wants it: minimised, and divided by the size of the criterion at the start, so that
/// the optimiser's tolerance is relative. The point is the transform's parameters, then log theta if that is free, or
/// log C for a criterion that has one. The composition and the search must outlive it.
class Descent {
 public:
  Descent(Composition& composition, TransformSearch& search, const DescentStart& start, double penalty);

  Eigen::VectorXd start() const;
  Eigen::VectorXd parameters(const Eigen::VectorXd& point) const;
  double theta(const Eigen::VectorXd& point) const;
  double c(const Eigen::VectorXd& point) const;
  const DescentStart& origin() const { return origin_; }
  bool is_maximised() const { return composition_.criterion().maximised; }

  double operator()(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) const;

  /// The objective in the criterion's own units.
  double objective(double value) const { return value * unit_; }
  double penalty(const Eigen::VectorXd& point) const;

 private:
  bool soft() const { return composition_.criterion().has_soft_margin; }
  bool has_last() const { return soft() || origin_.free_theta; }
  double weight() const;

  Composition& composition_;
  TransformSearch& search_;
  DescentStart origin_;
  double penalty_;
  double unit_;
};

/// The best point of a descent, and how it went.
std::pair<Eigen::VectorXd, Fit> descend(const Descent& descent, int max_iterations, double tolerance,
                                        const std::function<bool(const Fit::Iteration&)>& on_iteration);

}  // namespace dsk::detail
