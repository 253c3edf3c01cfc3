#include <dsk/engine.hpp>
#include <dsk/learn.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "learn/objective.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// lam~_iz u_iz' A_i u_iz - r_i for all i and z: what -theta turns into dJ/dlog lam~_iz. An eigenvalue that was raised
/// to a part of the largest moves with that one.
Matrix sensitivities(const detail::KernelGradient& gradient, const MatrixStack& vectors, const Matrix& adjusted_logs,
                     int threads) {
  const Index dim = vectors.dim;
  const double lowest = std::log(smallest_adjusted_ratio(dim));
  Matrix result(adjusted_logs.rows(), dim);
  detail::for_ranges(adjusted_logs.rows(), threads, detail::cubic_cost(dim, 0.1), [&](Index first, Index last) {
    std::vector<double> scratch(static_cast<std::size_t>(detail::quadratic_forms_scratch(dim)));
    Eigen::RowVectorXd along(dim);
    for (Index i = first; i < last; ++i) {
      if (gradient.forms.size() != 0)
        along = gradient.forms.row(i);
      else
        detail::quadratic_forms(gradient.inverse_sums[i].data(), vectors[i].data(), dim, scratch.data(), along.data());
      result.row(i) = adjusted_logs.row(i).array().exp() * along.array() - gradient.weight_sums[i];
      Index top = 0;
      const double raised_to = adjusted_logs.row(i).maxCoeff(&top) + lowest;
      for (Index z = 0; z < dim; ++z) {
        if (adjusted_logs(i, z) > raised_to) continue;
        result(i, top) += result(i, z);
        result(i, z) = 0;
      }
    }
  });
  return result;
}

}  // namespace

struct CriterionFunction::State {
  State(Criterion which, const Dataset& train, const PairOptions& pairs)
      : criterion(which),
        options(pairs),
        matrices(train.matrices()),
        classes(train.labels()),
        objective(detail::make_objective(which, classes, pairs)),
        eigen(eigen_decompose(matrices, pairs.threads)),
        log_eigenvalues(eigen.values.array().log()) {
    if (pairs.device != Device::cpu) on_device.emplace(eigen, classes, pairs);
  }

  detail::KernelGradient gradient(const LearnedKernel& kernel, const Matrix& adjusted_logs, double c) {
    if (!on_device) return objective->gradient(adjust(eigen, kernel.adjustment(), options.threads), kernel.theta(), c);
    on_device->form(adjusted_logs.array().exp());
    return objective->gradient(*on_device, kernel.theta(), c);
  }

  Criterion criterion;
  PairOptions options;
  SpdBatch matrices;
  detail::Classes classes;
  std::unique_ptr<detail::Objective> objective;
  EigenBatch eigen;
  Matrix log_eigenvalues;
  std::optional<detail::DeviceTraining> on_device;
};

CriterionFunction::CriterionFunction(Criterion criterion, const Dataset& train, const PairOptions& options)
    : state_(std::make_unique<State>(criterion, train, options)) {}
CriterionFunction::CriterionFunction(CriterionFunction&&) noexcept = default;
CriterionFunction& CriterionFunction::operator=(CriterionFunction&&) noexcept = default;
CriterionFunction::~CriterionFunction() = default;

const Matrix& CriterionFunction::log_eigenvalues() const {
  return state_->log_eigenvalues;
}

Matrix CriterionFunction::plain_values(std::span<const double> thetas, std::span<const double> cs) const {
  if (!state_->on_device) return state_->objective->values(state_->matrices, thetas, cs);
  state_->on_device->form(state_->eigen.values);
  return state_->objective->values(*state_->on_device, thetas, cs);
}

CriterionGradient CriterionFunction::operator()(const LearnedKernel& kernel, double c) const {
  if (has_soft_margin(state_->criterion) && !(c > 0 && std::isfinite(c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", c));
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  adjustment.check_for(state_->eigen.values.cols());
  const int threads = state_->options.threads;
  const Matrix adjusted_logs = adjusted_log_eigenvalues(state_->eigen.values, adjustment);
  const detail::KernelGradient gradient = state_->gradient(kernel, adjusted_logs, c);
  const Matrix sensitivity = sensitivities(gradient, state_->eigen.vectors, adjusted_logs, threads);
  const Eigen::RowVectorXd origin = adjustment.centre.transpose().array() + std::log(adjustment.scale);
  const Matrix moved = state_->log_eigenvalues.rowwise() - origin;
  CriterionGradient result;
  result.value = gradient.value;
  result.by_slope = -kernel.theta() * moved.cwiseProduct(sensitivity).colwise().sum().transpose();
  result.by_intercept = -kernel.theta() * sensitivity.colwise().sum().transpose();
  if (const Team* const team = state_->options.team) {
    for (Eigen::VectorXd* part : {&result.by_slope, &result.by_intercept})
      team->sum({part->data(), static_cast<std::size_t>(part->size())});
  }
  result.by_log_c = gradient.by_log_c;
  return result;
}

}  // namespace dsk
