#include <cmath>
#include <utility>

#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {
namespace {

/// lam~_iz u_iz' A_i u_iz - r_i for all i and z: what -theta turns into dJ/dlog lam~_iz. An eigenvalue that was raised
/// to a part of the largest moves with that one.
Matrix sensitivities(const WeightedInverses& found, const Matrix& adjusted_logs) {
  const Index dim = adjusted_logs.cols();
  const double lowest = std::log(smallest_adjusted_ratio(dim));
  Matrix result(adjusted_logs.rows(), dim);
  for (Index i = 0; i < adjusted_logs.rows(); ++i) {
    result.row(i) = adjusted_logs.row(i).array().exp() * found.forms.row(i).array() - found.weight_sums[i];
    Index top = 0;
    const double raised_to = adjusted_logs.row(i).maxCoeff(&top) + lowest;
    for (Index z = 0; z < dim; ++z) {
      if (adjusted_logs(i, z) > raised_to) continue;
      result(i, top) += result(i, z);
      result(i, z) = 0;
    }
  }
  return result;
}

}  // namespace

EigenvalueSearch::EigenvalueSearch(const SpdBatch& x, int threads)
    : x_(x),
      eigen_(eigen_decompose(x, threads)),
      log_eigenvalues_(eigen_.values.array().log()),
      first_(EigenvalueAdjustment::none(x.dim())) {}

PairSums EigenvalueSearch::sweep(const PairOptions& options) const {
  return {x_, eigen_, options};
}

void EigenvalueSearch::apply(const EigenvalueAdjustment& adjustment, PairSums& sweep) {
  adjustment.check_for(x_.dim());
  applied_ = adjustment;
  adjusted_logs_ = adjusted_log_eigenvalues(eigen_.values, adjustment);
  sweep.replace_eigenvalues(adjusted_logs_.array().exp());
}

AdjustmentDerivatives EigenvalueSearch::derivatives(const WeightedInverses& found, double theta) const {
  const Matrix sensitivity = sensitivities(found, adjusted_logs_);
  const Eigen::RowVectorXd origin = applied_.centre.transpose().array() + std::log(applied_.scale);
  const Matrix moved = log_eigenvalues_.rowwise() - origin;
  return {-theta * moved.cwiseProduct(sensitivity).colwise().sum().transpose(),
          -theta * sensitivity.colwise().sum().transpose()};
}

Eigen::VectorXd EigenvalueSearch::start() const {
  const Index dim = x_.dim();
  Eigen::VectorXd point = Eigen::VectorXd::Zero(first_.kind == Adjustment::affine ? 2 * dim : dim);
  point.head(dim) = first_.kind == Adjustment::coefficient ? first_.alpha.array().log().matrix() : first_.alpha;
  return point;
}

EigenvalueAdjustment EigenvalueSearch::adjustment(const Eigen::VectorXd& parameters) const {
  const Index dim = x_.dim();
  EigenvalueAdjustment result = first_;
  result.alpha = parameters.head(dim);
  if (first_.kind == Adjustment::coefficient) result.alpha = result.alpha.array().exp();
  if (first_.kind == Adjustment::affine) result.beta = parameters.segment(dim, dim);
  return result;
}

void EigenvalueSearch::apply(const Eigen::VectorXd& parameters, PairSums& sweep) {
  const EigenvalueAdjustment wanted = adjustment(parameters);
  if (!(wanted.alpha.allFinite() && wanted.beta.allFinite()))
    throw NumericalFailure("the step leaves the range of double");
  apply(wanted, sweep);
}

Eigen::VectorXd EigenvalueSearch::pull_back(const WeightedInverses& found, double theta) const {
  const auto [by_slope, by_intercept] = derivatives(found, theta);
  if (first_.kind == Adjustment::power) return by_slope;
  if (first_.kind == Adjustment::coefficient) return by_intercept;
  Eigen::VectorXd result(by_slope.size() + by_intercept.size());
  result << by_slope, by_intercept;
  return result;
}

double EigenvalueSearch::penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const {
  const Index dim = x_.dim();
  const EigenvalueAdjustment here = adjustment(parameters);
  const Eigen::ArrayXd moved = here.alpha.array() - first_.alpha.array();
  gradient.head(dim).array() +=
      2 * factor * (first_.kind == Adjustment::coefficient ? (moved * here.alpha.array()).eval() : moved);
  if (first_.kind == Adjustment::affine) gradient.segment(dim, dim) += 2 * factor * here.beta;
  return moved.square().sum() + here.beta.squaredNorm();
}

Transform EigenvalueSearch::at(const Eigen::VectorXd& parameters) const {
  return Transform(adjustment(parameters));
}

}  // namespace dsk::detail
