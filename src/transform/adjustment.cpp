#include <dsk/transform.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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
