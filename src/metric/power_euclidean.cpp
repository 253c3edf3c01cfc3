#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {

const SpectralMap power_euclidean_map{
    .value = [](double log, double zeta) { return std::exp(zeta * log) / zeta; },
    .derivative = [](double log, double zeta) { return std::exp(zeta * log); },
    .divided =
        [](double log, double other, double zeta) {
          const double apart = -std::abs(log - other);
          return std::exp((zeta - 1) * std::max(log, other)) *
                 (apart == 0 ? 1 : std::expm1(zeta * apart) / (zeta * std::expm1(apart)));
        },
    .by_zeta = [](double log, double zeta) { return std::exp(zeta * log) * (zeta * log - 1) / (zeta * zeta); }};

Matrix power_euclidean(const SpdBatch& batch, const DistanceOptions& options) {
  const double zeta = options.zeta;
  // X^zeta / zeta loses digits as zeta goes to 0, about 1e-16 / zeta of them.
  constexpr double smallest_zeta = 1e-4;
  if (!std::isfinite(zeta) || std::abs(zeta) < smallest_zeta)
    throw InvalidInput(
        fmt::format("zeta {} of the power-Euclidean metric must be finite and at least {} from 0; its limit "
                    "at 0 is the log-Euclidean metric",
                    zeta, smallest_zeta));
  const int threads = options.pairs.threads;
  if (std::abs(zeta) == 0.5) {
    const auto function = zeta > 0 ? SpectralFunction::root : SpectralFunction::inverse_root;
    return flatten(spectral_function(function, batch, threads), threads) / zeta;
  }
  EigenBatch eigen = eigen_decompose(batch, threads);
  eigen.values = eigen.values.unaryExpr([zeta](double value) { return std::pow(value, zeta) / zeta; }).eval();
  return flatten(recompose(eigen.values, eigen.vectors, threads), threads);
}

bool power_euclidean_row(const MatrixView& x, const DistanceOptions& options, MapMemory& memory,
                         Eigen::Ref<Eigen::RowVectorXd> row) {
  return flatten_spectral(
      x, [&](double value) { return std::pow(value, options.zeta) / options.zeta; }, memory, row);
}

Matrix from_power_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options) {
  const Matrix power = unflatten(row, dim) * options.zeta;
  const EigenBatch eigen = eigen_decompose(trust({1, dim, {power.data(), power.data() + power.size()}}), 1);
  const Matrix values = eigen.values.unaryExpr([&](double value) { return std::pow(value, 1 / options.zeta); });
  return recompose(values, eigen.vectors, 1)[0];
}

}  // namespace dsk::detail
