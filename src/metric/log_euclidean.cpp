#include <algorithm>
#include <cmath>

#include "metric/mean.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {

// The map alone: distances after it are Euclidean and computed for all such metrics in flat_distances.cpp.

const SpectralMap log_euclidean_map{.value = [](double log, double) { return log; },
                                    .derivative = [](double, double) { return 1.0; },
                                    .divided =
                                        [](double log, double other, double) {
                                          const double apart = -std::abs(log - other);
                                          return std::exp(-std::max(log, other)) *
                                                 (apart == 0 ? 1 : apart / std::expm1(apart));
                                        },
                                    .by_zeta = nullptr};

Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options) {
  const int threads = options.pairs.threads;
  return flatten(spectral_function(SpectralFunction::logarithm, batch, threads), threads);
}

bool log_euclidean_row(const MatrixView& x, const DistanceOptions&, MapMemory& memory,
                       Eigen::Ref<Eigen::RowVectorXd> row) {
  return flatten_spectral(
      x, [](double value) { return std::log(value); }, memory, row);
}

Matrix from_log_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions&) {
  return exponential(unflatten(row, dim)).whole;
}

}  // namespace dsk::detail
