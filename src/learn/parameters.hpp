#pragma once

#include <dsk/learn.hpp>

namespace dsk::detail {

/// What the optimiser turns, as one vector: alpha (its logarithm for `coefficient`), then beta for `affine`, then log C
/// for a criterion that has one.
class Parameters {
 public:
  Parameters(EigenvalueAdjustment plain, bool with_c);

  Eigen::VectorXd start(double c) const;
  EigenvalueAdjustment adjustment(const Eigen::VectorXd& point) const;
  double c(const Eigen::VectorXd& point) const;
  /// The derivatives by the vector's entries.
  Eigen::VectorXd gradient(const CriterionGradient& gradient) const;
  /// |alpha - 1|^2 + |beta|^2; adds its derivatives times `factor` to the gradient.
  double penalty(const Eigen::VectorXd& point, double factor, Eigen::VectorXd& gradient) const;

 private:
  EigenvalueAdjustment plain_;
  Index dim_;
  bool with_c_;
};

}  // namespace dsk::detail
