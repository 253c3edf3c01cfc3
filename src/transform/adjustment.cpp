// Adjusted eigenvalues, and the search for them.

#include <dsk/transform.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "machine/messages.hpp"
#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk {
namespace {

struct AdjustmentRow {
  Adjustment value;
  std::string_view name;
  std::string_view alias;  ///< also in the names of methods
};

constexpr AdjustmentRow adjustment_table[] = {
    {Adjustment::power, "power", "p"},
    {Adjustment::coefficient, "coefficient", "c"},
    {Adjustment::affine, "affine", "a"},
};

std::span<const AdjustmentRow> rows() {
  return adjustment_table;
}

void check_finite(std::string_view what, const Eigen::VectorXd& values, Index dim) {
  if (values.size() != dim)
    throw InvalidInput(fmt::format("adjustment of {} eigenvalues has {} entries of {}", dim, values.size(), what));
  for (Index z = 0; z < dim; ++z)
    if (!std::isfinite(values[z]))
      throw InvalidInput(fmt::format("adjustment: {} {} is {}, not a finite number", what, z, values[z]));
}

void check_zero(std::string_view what, const Eigen::VectorXd& values, Adjustment kind) {
  for (Index z = 0; z < values.size(); ++z)
    if (values[z] != 0)
      throw InvalidInput(fmt::format("adjustment: {} {} is {}, but {} has none", what, z, values[z], name(kind)));
}

}  // namespace

Adjustment parse_adjustment(std::string_view text) {
  return detail::find_by_name(rows(), text, "adjustment").value;
}
std::string adjustment_choices() {
  return detail::choices(rows());
}
std::span<const Adjustment> all_adjustments() {
  static constexpr auto all = [] {
    std::array<Adjustment, std::size(adjustment_table)> values{};
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = adjustment_table[k].value;
    return values;
  }();
  return all;
}
std::string_view name(Adjustment adjustment) {
  return detail::find_by_value(rows(), adjustment, "adjustment").name;
}
std::string_view letters(Adjustment adjustment) {
  return detail::find_by_value(rows(), adjustment, "adjustment").alias;
}

EigenvalueAdjustment EigenvalueAdjustment::none(Index dim, Adjustment kind) {
  return {kind, Eigen::VectorXd::Ones(dim), Eigen::VectorXd::Zero(dim), Eigen::VectorXd::Zero(dim), 1};
}

void EigenvalueAdjustment::check() const {
  if (dim() == 0) throw InvalidInput("adjustment has no entries");
  check_finite("alpha", alpha, dim());
  check_finite("beta", beta, dim());
  check_finite("centre", centre, dim());
  if (kind != Adjustment::affine) {
    check_zero("beta", beta, kind);
    check_zero("centre", centre, kind);
  }
  if (!(scale > 0 && std::isfinite(scale)))
    throw InvalidInput(fmt::format("scale {} must be finite and above 0", scale));
  if (kind == Adjustment::coefficient)
    for (Index z = 0; z < dim(); ++z)
      if (!(alpha[z] > 0)) throw InvalidInput(fmt::format("coefficient {} is {}, not above 0", z, alpha[z]));
}

void EigenvalueAdjustment::check_for(Index matrix_dim) const {
  check();
  if (matrix_dim != dim())
    throw InvalidInput(
        fmt::format("a kernel for matrices of size {} cannot take matrices of size {}", dim(), matrix_dim));
}

bool EigenvalueAdjustment::is_none() const {
  return (alpha.array() == 1).all() && (beta.array() == 0).all();
}

Eigen::VectorXd EigenvalueAdjustment::slope() const {
  return kind == Adjustment::coefficient ? Eigen::VectorXd::Ones(dim()).eval() : alpha;
}

Eigen::VectorXd EigenvalueAdjustment::intercept() const {
  if (kind == Adjustment::power) return Eigen::VectorXd::Zero(dim());
  if (kind == Adjustment::coefficient) return alpha.array().log();
  return (1 - alpha.array()) * centre.array() + beta.array();
}

namespace detail {

double smallest_adjusted_ratio(Index dim) {
  const auto d = static_cast<double>(dim);
  return 4 * d * d * std::numeric_limits<double>::epsilon();
}

Matrix adjusted_log_eigenvalues(const Matrix& eigenvalues, const EigenvalueAdjustment& adjustment) {
  const Eigen::RowVectorXd slope = adjustment.slope().transpose(), intercept = adjustment.intercept().transpose();
  const Matrix logs = (eigenvalues.array().log() - std::log(adjustment.scale)).matrix();
  Matrix adjusted = (logs.array().rowwise() * slope.array()).rowwise() + intercept.array();
  const double lowest = std::log(smallest_adjusted_ratio(adjustment.dim()));
  for (Index i = 0; i < adjusted.rows(); ++i)
    adjusted.row(i) = adjusted.row(i).cwiseMax(adjusted.row(i).maxCoeff() + lowest);
  return adjusted;
}

}  // namespace detail

SpdBatch adjust(const EigenBatch& eigen, const EigenvalueAdjustment& adjustment, int threads) {
  adjustment.check_for(eigen.values.cols());
  const Matrix values = detail::adjusted_log_eigenvalues(eigen.values, adjustment).array().exp();
  try {
    return detail::trust(recompose(values, eigen.vectors, threads));
  } catch (const InvalidInput& error) {
    throw NumericalFailure(fmt::format("with adjusted eigenvalues: {}", error.what()));
  }
}

SpdBatch adjust(const SpdBatch& batch, const EigenvalueAdjustment& adjustment, int threads) {
  return adjust(eigen_decompose(batch, threads), adjustment, threads);
}

}  // namespace dsk

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
