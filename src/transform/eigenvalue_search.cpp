// The search for adjusted eigenvalues.

#include <algorithm>
#include <cmath>
#include <utility>

#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {
namespace {

/// dJ/dlog lam~_iz = -theta (lam~_iz u_iz' A_i u_iz - r_i) for the Stein divergence.
Matrix stein_sensitivities(const WeightedInverses& found, const Matrix& adjusted_logs, double theta) {
  Matrix result = adjusted_logs.array().exp() * found.forms.array();
  result.colwise() -= found.weight_sums;
  return -theta * result;
}

/// An eigenvalue that was raised to a part of the largest moves with that one.
void move_raised(Matrix& result, const Matrix& adjusted_logs) {
  const Index dim = adjusted_logs.cols();
  const double lowest = std::log(smallest_adjusted_ratio(dim));
  for (Index i = 0; i < adjusted_logs.rows(); ++i) {
    Index top = 0;
    const double raised_to = adjusted_logs.row(i).maxCoeff(&top) + lowest;
    for (Index z = 0; z < dim; ++z) {
      if (adjusted_logs(i, z) > raised_to) continue;
      result(i, top) += result(i, z);
      result(i, z) = 0;
    }
  }
}

}  // namespace

EigenvalueSearch::EigenvalueSearch(const SpdBatch& x, int threads, const PairSpace& space)
    : x_(x),
      threads_(threads),
      space_(space),
      eigen_(eigen_decompose(x, threads)),
      log_eigenvalues_(eigen_.values.array().log()),
      first_(EigenvalueAdjustment::none(x.dim())),
      applied_zeta_(space.zeta) {}

PairSums EigenvalueSearch::sweep(const PairOptions& options) const {
  if (space_.is_flat()) return PairSums(map(space_.zeta).rows(log_eigenvalues_, eigen_.vectors), options);
  return {x_, eigen_, options};
}

void EigenvalueSearch::apply_plain(PairSums& sweep) {
  if (!space_.is_flat()) return sweep.replace(x_);
  EigenvalueAdjustment plain = EigenvalueAdjustment::none(x_.dim());
  plain.scale = first_.scale;
  apply(plain, space_.zeta, sweep);
}

void EigenvalueSearch::apply(const EigenvalueAdjustment& adjustment, double zeta, PairSums& sweep) {
  adjustment.check_for(x_.dim());
  applied_ = adjustment;
  applied_zeta_ = zeta;
  adjusted_logs_ = adjusted_log_eigenvalues(eigen_.values, adjustment);
  if (space_.is_flat())
    sweep.replace_rows(map(zeta).rows(adjusted_logs_, eigen_.vectors));
  else
    sweep.replace_eigenvalues(adjusted_logs_.array().exp());
}

AdjustmentDerivatives EigenvalueSearch::derivatives(const WeightedInverses& found, double theta) const {
  FlatMap::ByEigenvalues by;
  if (space_.is_flat())
    by = map(applied_zeta_).pull_back(adjusted_logs_, eigen_.vectors, by_rows(found, theta));
  else
    by.by_logs = stein_sensitivities(found, adjusted_logs_, theta);
  move_raised(by.by_logs, adjusted_logs_);
  const Eigen::RowVectorXd origin = applied_.centre.transpose().array() + std::log(applied_.scale);
  const Matrix moved = log_eigenvalues_.rowwise() - origin;
  return {moved.cwiseProduct(by.by_logs).colwise().sum().transpose(), by.by_logs.colwise().sum().transpose(),
          by.by_zeta};
}

Eigen::VectorXd EigenvalueSearch::start() const {
  const Index dim = x_.dim();
  Eigen::VectorXd point = Eigen::VectorXd::Zero(adjusting() + (space_.free_zeta ? 1 : 0));
  point.head(dim) = first_.kind == Adjustment::coefficient ? first_.alpha.array().log().matrix() : first_.alpha;
  if (space_.free_zeta) point[adjusting()] = std::log(space_.zeta);
  return point;
}

double EigenvalueSearch::zeta(const Eigen::VectorXd& parameters) const {
  return space_.free_zeta ? std::exp(parameters[adjusting()]) : space_.zeta;
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
  // Beyond these zeta the map is all but the logarithm, or no longer one of double precision.
  constexpr double smallest_zeta = 1e-3, largest_zeta = 1e2;
  const double power = zeta(parameters);
  if (!(wanted.alpha.allFinite() && wanted.beta.allFinite()) ||
      (space_.free_zeta && !(power > smallest_zeta && power < largest_zeta)))
    throw NumericalFailure("the step leaves the range of double");
  apply(wanted, power, sweep);
}

Eigen::VectorXd EigenvalueSearch::pull_back(const WeightedInverses& found, double theta) const {
  const auto [by_slope, by_intercept, by_zeta] = derivatives(found, theta);
  Eigen::VectorXd result(adjusting() + (space_.free_zeta ? 1 : 0));
  result.head(x_.dim()) = first_.kind == Adjustment::coefficient ? by_intercept : by_slope;
  if (first_.kind == Adjustment::affine) result.segment(x_.dim(), x_.dim()) = by_intercept;
  if (space_.free_zeta) result[adjusting()] = applied_zeta_ * by_zeta;
  return result;
}

double EigenvalueSearch::penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const {
  const Index dim = x_.dim();
  const EigenvalueAdjustment here = adjustment(parameters);
  const Eigen::ArrayXd moved = here.alpha.array() - first_.alpha.array();
  gradient.head(dim).array() +=
      2 * factor * (first_.kind == Adjustment::coefficient ? (moved * here.alpha.array()).eval() : moved);
  if (first_.kind == Adjustment::affine) gradient.segment(dim, dim) += 2 * factor * here.beta;
  const double zeta_moved = space_.free_zeta ? parameters[adjusting()] - std::log(space_.zeta) : 0;
  if (space_.free_zeta) gradient[adjusting()] += 2 * factor * zeta_moved;
  return moved.square().sum() + here.beta.squaredNorm() + zeta_moved * zeta_moved;
}

Transform EigenvalueSearch::at(const Eigen::VectorXd& parameters) const {
  return Transform(adjustment(parameters));
}

}  // namespace dsk::detail
