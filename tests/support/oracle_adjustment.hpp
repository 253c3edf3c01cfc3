#pragma once

#include <dsk/transform.hpp>

#include <algorithm>
#include <numeric>

#include "support/oracle_eigen.hpp"

/// Adjusted eigenvalues, the divergences of all pairs and their derivatives by the paper's trace formula.
namespace dsk::test {

/// log lam~_z = slope_z (log(lam_z / scale) - centre_z) + centre_z + intercept_z.
struct OracleAdjustment {
  RealVector slope, intercept, centre;
  Real scale = 1;

  static OracleAdjustment of(const EigenvalueAdjustment& adjustment) {
    const auto dim = static_cast<std::size_t>(adjustment.alpha.size());
    OracleAdjustment result{RealVector(dim, 1), RealVector(dim, 0), RealVector(dim, 0),
                            static_cast<Real>(adjustment.scale)};
    for (std::size_t z = 0; z < dim; ++z) {
      const auto at = static_cast<Index>(z);
      const Real alpha = adjustment.alpha[at];
      if (adjustment.kind == Adjustment::coefficient) {
        result.intercept[z] = std::log(alpha);
        continue;
      }
      result.slope[z] = alpha;
      if (adjustment.kind == Adjustment::power) continue;
      result.intercept[z] = adjustment.beta[at];
      result.centre[z] = adjustment.centre[at];
    }
    return result;
  }
};

struct OracleSpectrum {
  RealVector logs;       ///< of the eigenvalues, descending
  OracleMatrix vectors;  ///< columns
};

inline std::vector<OracleSpectrum> oracle_spectra(const SpdBatch& batch) {
  std::vector<OracleSpectrum> result;
  const long dim = batch.dim();
  for (Index i = 0; i < batch.size(); ++i) {
    const OracleEigen found = eigen(OracleMatrix::of(batch[i]));
    std::vector<std::size_t> order(found.values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return found.values[a] > found.values[b]; });
    OracleSpectrum sorted{{}, OracleMatrix(dim)};
    for (long z = 0; z < dim; ++z) {
      const std::size_t from = order[static_cast<std::size_t>(z)];
      sorted.logs.push_back(std::log(found.values[from]));
      for (long r = 0; r < dim; ++r) sorted.vectors(r, z) = found.vectors(r, static_cast<long>(from));
    }
    result.push_back(std::move(sorted));
  }
  return result;
}

/// d log lam~_z / d slope_z.
inline Real by_slope(const OracleSpectrum& x, const OracleAdjustment& adjustment, std::size_t z) {
  return x.logs[z] - std::log(adjustment.scale) - adjustment.centre[z];
}

inline Real adjusted_log(const OracleSpectrum& x, const OracleAdjustment& adjustment, std::size_t z) {
  return adjustment.slope[z] * by_slope(x, adjustment, z) + adjustment.centre[z] + adjustment.intercept[z];
}

/// dX~ / d intercept_z = lam~_z u_z u_z'.
inline OracleMatrix derivative(const OracleSpectrum& x, const OracleAdjustment& adjustment, std::size_t z) {
  const long dim = x.vectors.dim(), at = static_cast<long>(z);
  const Real value = std::exp(adjusted_log(x, adjustment, z));
  OracleMatrix result(dim);
  for (long r = 0; r < dim; ++r)
    for (long c = 0; c < dim; ++c) result(r, c) = value * x.vectors(r, at) * x.vectors(c, at);
  return result;
}

inline OracleMatrix sum(const OracleMatrix& x, const OracleMatrix& y) {
  OracleMatrix result(x.dim());
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c) result(r, c) = x(r, c) + y(r, c);
  return result;
}

/// Of two symmetric matrices.
inline Real trace_of_product(const OracleMatrix& x, const OracleMatrix& y) {
  Real result = 0;
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c) result += x(r, c) * y(r, c);
  return result;
}

inline OracleMatrix adjusted(const OracleSpectrum& x, const OracleAdjustment& adjustment) {
  OracleMatrix result(x.vectors.dim());
  for (std::size_t z = 0; z < x.logs.size(); ++z) result = sum(result, derivative(x, adjustment, z));
  return result;
}

/// S(X~, Y~) of all pairs.
inline OracleMatrix oracle_divergences(const std::vector<OracleSpectrum>& spectra, const OracleAdjustment& adjustment) {
  const auto count = static_cast<long>(spectra.size());
  std::vector<OracleMatrix> matrices;
  RealVector logdets;
  for (const OracleSpectrum& x : spectra) {
    matrices.push_back(adjusted(x, adjustment));
    logdets.push_back(logdet(matrices.back()));
  }
  OracleMatrix result(count);
  for (long i = 0; i < count; ++i)
    for (long j = 0; j < i; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      result(i, j) = result(j, i) = logdet(mean(matrices[a], matrices[b])) - (logdets[a] + logdets[b]) / 2;
    }
  return result;
}

/// dS/dp of all pairs for p = slope_0, ..., slope_d-1, intercept_0, ..., pair by pair:
/// tr((X~ + Y~)^-1 (dX~ + dY~)) - tr(X~^-1 dX~)/2 - tr(Y~^-1 dY~)/2.
inline std::vector<OracleMatrix> divergence_derivatives(const std::vector<OracleSpectrum>& spectra,
                                                        const OracleAdjustment& adjustment) {
  const std::size_t count = spectra.size(), dim = adjustment.slope.size();
  std::vector<OracleMatrix> matrices;
  std::vector<std::vector<OracleMatrix>> derivatives(count);
  std::vector<RealVector> own_traces(count);
  for (std::size_t i = 0; i < count; ++i) {
    matrices.push_back(adjusted(spectra[i], adjustment));
    const OracleMatrix inverted = inverse(matrices[i]);
    for (std::size_t z = 0; z < dim; ++z) {
      derivatives[i].push_back(derivative(spectra[i], adjustment, z));
      own_traces[i].push_back(trace_of_product(inverted, derivatives[i][z]));
    }
  }
  std::vector<OracleMatrix> result(2 * dim, OracleMatrix(static_cast<long>(count)));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const OracleMatrix inverted = inverse(sum(matrices[i], matrices[j]));
      for (std::size_t z = 0; z < dim; ++z) {
        const Real left = trace_of_product(inverted, derivatives[i][z]) - own_traces[i][z] / 2;
        const Real right = trace_of_product(inverted, derivatives[j][z]) - own_traces[j][z] / 2;
        const auto set = [&](std::size_t parameter, Real value) {
          const auto r = static_cast<long>(i), c = static_cast<long>(j);
          result[parameter](r, c) = result[parameter](c, r) = value;
        };
        set(z, by_slope(spectra[i], adjustment, z) * left + by_slope(spectra[j], adjustment, z) * right);
        set(dim + z, left + right);
      }
    }
  return result;
}

inline OracleMatrix oracle_kernel(const OracleMatrix& divergences, Real theta) {
  OracleMatrix result(divergences.dim());
  for (long i = 0; i < result.dim(); ++i)
    for (long j = 0; j < result.dim(); ++j) result(i, j) = std::exp(-theta * divergences(i, j));
  return result;
}

/// How far rounding of the matrices moves their adjusted form: the largest of the condition numbers of matrices,
/// adjusted matrices and eigenvectors (largest eigenvalue over smallest gap).
inline double condition(const std::vector<OracleSpectrum>& spectra, const OracleAdjustment& adjustment) {
  Real worst = 1;
  for (const OracleSpectrum& x : spectra) {
    RealVector moved;
    for (std::size_t z = 0; z < x.logs.size(); ++z) {
      moved.push_back(adjusted_log(x, adjustment, z));
      if (z > 0) worst = std::max(worst, std::exp(x.logs[0]) / (std::exp(x.logs[z - 1]) - std::exp(x.logs[z])));
    }
    const auto [low, high] = std::minmax_element(moved.begin(), moved.end());
    worst = std::max({worst, std::exp(x.logs.front() - x.logs.back()), std::exp(*high - *low)});
  }
  return static_cast<double>(worst);
}

}  // namespace dsk::test
