#include "learn/parameters.hpp"

#include <cmath>
#include <utility>

namespace dsk::detail {

Parameters::Parameters(EigenvalueAdjustment plain, bool with_c)
    : plain_(std::move(plain)), dim_(plain_.dim()), with_c_(with_c) {}

Eigen::VectorXd Parameters::start(double c) const {
  const Index adjusting = plain_.kind == Adjustment::affine ? 2 * dim_ : dim_;
  Eigen::VectorXd point = Eigen::VectorXd::Zero(adjusting + (with_c_ ? 1 : 0));
  if (plain_.kind != Adjustment::coefficient) point.head(dim_).setOnes();
  if (with_c_) point[adjusting] = std::log(c);
  return point;
}

EigenvalueAdjustment Parameters::adjustment(const Eigen::VectorXd& point) const {
  EigenvalueAdjustment result = plain_;
  result.alpha = point.head(dim_);
  if (plain_.kind == Adjustment::coefficient) result.alpha = result.alpha.array().exp();
  if (plain_.kind == Adjustment::affine) result.beta = point.segment(dim_, dim_);
  return result;
}

double Parameters::c(const Eigen::VectorXd& point) const {
  return with_c_ ? std::exp(point[point.size() - 1]) : 0;
}

Eigen::VectorXd Parameters::gradient(const CriterionGradient& gradient) const {
  Eigen::VectorXd result(start(1).size());
  result.head(dim_) = plain_.kind == Adjustment::coefficient ? gradient.by_intercept : gradient.by_slope;
  if (plain_.kind == Adjustment::affine) result.segment(dim_, dim_) = gradient.by_intercept;
  if (with_c_) result[result.size() - 1] = gradient.by_log_c;
  return result;
}

double Parameters::penalty(const Eigen::VectorXd& point, double factor, Eigen::VectorXd& gradient) const {
  const EigenvalueAdjustment here = adjustment(point);
  const Eigen::ArrayXd moved = here.alpha.array() - 1;
  gradient.head(dim_).array() +=
      2 * factor * (plain_.kind == Adjustment::coefficient ? (moved * here.alpha.array()).eval() : moved);
  if (plain_.kind == Adjustment::affine) gradient.segment(dim_, dim_) += 2 * factor * here.beta;
  return moved.square().sum() + here.beta.squaredNorm();
}

}  // namespace dsk::detail
