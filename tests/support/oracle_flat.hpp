#pragma once

#include <dsk/metric.hpp>

#include "support/oracle_adjustment.hpp"

/// Metrics that are Euclidean after a map, in long double and by their definitions.
namespace dsk::test {

/// The matrix whose Frobenius distance the metric is.
inline OracleMatrix flat_oracle(Metric metric, Real zeta, const OracleMatrix& x) {
  if (metric == Metric::cholesky) return cholesky(x);
  if (metric == Metric::logeuclidean) return apply(x, [](Real value) { return std::log(value); });
  return apply(x, [zeta](Real value) { return std::pow(value, zeta) / zeta; });
}

inline OracleMatrix squared_distances(const std::vector<OracleMatrix>& points) {
  const auto count = static_cast<long>(points.size());
  OracleMatrix result(count);
  for (long i = 0; i < count; ++i)
    for (long j = 0; j < i; ++j)
      result(i, j) = result(j, i) =
          squared_frobenius(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  return result;
}

/// Of adjusted matrices; what maps eigenvalues maps the adjusted ones.
inline OracleMatrix flat_distances(Metric metric, Real zeta, const std::vector<OracleSpectrum>& spectra,
                                   const OracleAdjustment& adjustment) {
  std::vector<OracleMatrix> points;
  for (const OracleSpectrum& x : spectra) points.push_back(flat_oracle(metric, zeta, adjusted(x, adjustment)));
  return squared_distances(points);
}

/// How many times its own size rounding may move a squared distance: |p|^2 over a typical one.
inline double largest_squared_norm(Metric metric, Real zeta, const std::vector<OracleSpectrum>& spectra,
                                   const OracleAdjustment& adjustment) {
  Real largest = 0;
  const OracleMatrix zero(static_cast<long>(adjustment.slope.size()));
  for (const OracleSpectrum& x : spectra)
    largest = std::max(largest, squared_frobenius(flat_oracle(metric, zeta, adjusted(x, adjustment)), zero));
  return static_cast<double>(largest);
}

}  // namespace dsk::test
