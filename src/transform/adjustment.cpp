// Adjusted eigenvalues: names, values, and the step of a transform.

#include <dsk/transform.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "machine/aligned.hpp"
#include "machine/messages.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"
#include "transform/step.hpp"
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

SpdBatch apply_step(const EigenvalueAdjustment& adjustment, const SpdBatch& x, int threads) {
  if (x.dim() == adjustment.dim() && adjustment.is_none()) return x;
  return adjust(x, adjustment, threads);
}

Eigen::VectorXd step_parameters(const EigenvalueAdjustment& adjustment) {
  if (adjustment.kind != Adjustment::affine) return adjustment.alpha;
  Eigen::VectorXd result(2 * adjustment.dim());
  result << adjustment.alpha, adjustment.beta;
  return result;
}

/// With X = U diag(lam) U', Z = U diag(f(lam)) U' and G = U' dJ/dZ U: dJ/dlog f_z = f_z G_zz, and by Daleckii and Krein
/// dJ/dX = U (G o D) U' with the divided differences D_yz = (f_y - f_z) / (lam_y - lam_z).
PulledBack pull_back_step(const EigenvalueAdjustment& adjustment, const SpdBatch& x, const MatrixStack& by_result,
                          int threads) {
  const EigenBatch eigen = eigen_decompose(x, threads);
  const Matrix logs = detail::adjusted_log_eigenvalues(eigen.values, adjustment);
  const Index n = x.size(), dim = x.dim();
  const Eigen::VectorXd slope = adjustment.slope();
  const double lowest = std::log(detail::smallest_adjusted_ratio(dim));
  Matrix by_logs(n, dim);
  PulledBack result{{}, {n, dim, std::vector<double>(static_cast<std::size_t>(n * dim * dim))}};
  detail::for_ranges(n, threads, detail::cubic_cost(dim, 2), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const MatrixView vectors = eigen.vectors[i];
      Matrix along = vectors.transpose() * by_result[i] * vectors;
      by_logs.row(i) = along.diagonal().transpose().array() * logs.row(i).array().exp();
      for (Index y = 0; y < dim; ++y)
        for (Index z = 0; z < dim; ++z) {
          if (y == z) continue;
          const double a = eigen.values(i, y), b = eigen.values(i, z);
          const double f = std::exp(logs(i, y)), g = std::exp(logs(i, z));
          along(y, z) *= a == b ? slope[z] * g / b : (f - g) / (a - b);
        }
      // An eigenvalue that was raised to a part of the largest moves with that one.
      Index top = 0;
      const double raised_to = logs.row(i).maxCoeff(&top) + lowest;
      for (Index z = 0; z < dim; ++z) {
        if (logs(i, z) > raised_to) continue;
        by_logs(i, top) += by_logs(i, z);
        by_logs(i, z) = 0;
      }
      for (Index z = 0; z < dim; ++z) along(z, z) = by_logs(i, z) * slope[z] / eigen.values(i, z);
      Eigen::Map<Matrix>(result.by_input.values.data() + i * dim * dim, dim, dim) =
          vectors * along * vectors.transpose();
    }
  });
  const Eigen::RowVectorXd origin = adjustment.centre.transpose().array() + std::log(adjustment.scale);
  const Matrix moved = Matrix(eigen.values.array().log()).rowwise() - origin;
  const Eigen::VectorXd by_slope = moved.cwiseProduct(by_logs).colwise().sum().transpose();
  const Eigen::VectorXd by_intercept = by_logs.colwise().sum().transpose();
  if (adjustment.kind == Adjustment::power) result.by_parameters = by_slope;
  if (adjustment.kind == Adjustment::coefficient) result.by_parameters = by_intercept.cwiseQuotient(adjustment.alpha);
  if (adjustment.kind == Adjustment::affine) {
    result.by_parameters.resize(2 * dim);
    result.by_parameters << by_slope, by_intercept;
  }
  return result;
}

namespace detail {
namespace {

class AdjustStep : public MatrixTransform::Step {
 public:
  explicit AdjustStep(const EigenvalueAdjustment& adjustment)
      : dim_(adjustment.dim()),
        slope_(adjustment.slope()),
        intercept_(adjustment.intercept()),
        log_scale_(std::log(adjustment.scale)),
        scratch_(eigen_scratch(std::min(dim_, largest_in_lanes))),
        values_(dim_),
        vectors_(dim_, dim_),
        adjusted_(dim_, dim_) {}

  const double* apply(const double* matrix) override {
    if (!decompose_one({matrix, dim_, dim_}, scratch_.data(), values_.data(), vectors_.data())) return nullptr;
    for (Index z = 0; z < dim_; ++z) values_[z] = slope_[z] * (std::log(values_[z]) - log_scale_) + intercept_[z];
    const double lowest = values_.maxCoeff() + std::log(smallest_adjusted_ratio(dim_));
    for (double& value : values_) value = std::exp(std::max(value, lowest));
    recompose_group(values_.data(), vectors_.data(), 1, dim_, scratch_.data(), adjusted_.data());
    return adjusted_.allFinite() ? adjusted_.data() : nullptr;
  }

 private:
  Index dim_;
  Eigen::VectorXd slope_;
  Eigen::VectorXd intercept_;
  double log_scale_;
  AlignedArray<double> scratch_;
  Eigen::VectorXd values_;
  Matrix vectors_;
  Matrix adjusted_;
};

}  // namespace
}  // namespace detail

std::unique_ptr<detail::MatrixTransform::Step> make_step(const EigenvalueAdjustment& adjustment) {
  return std::make_unique<detail::AdjustStep>(adjustment);
}

}  // namespace dsk
