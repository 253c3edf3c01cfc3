#pragma once

#include <dsk/learn/learn.hpp>

#include <algorithm>

#include "support/made_classes.hpp"
#include "support/oracle_adjustment.hpp"
#include "support/oracle_learn.hpp"

namespace dsk::test {

constexpr Criterion all_criteria[] = {Criterion::alignment,    Criterion::separability, Criterion::radius_margin,
                                      Criterion::trace_margin, Criterion::centred,      Criterion::neighbour};
constexpr Adjustment all_adjustments[] = {Adjustment::power, Adjustment::coefficient, Adjustment::affine};

/// An adjustment that moves every eigenvalue, each a little differently.
inline EigenvalueAdjustment uneven_adjustment(Index dim, Adjustment kind, double scale = 1) {
  EigenvalueAdjustment result = EigenvalueAdjustment::none(dim, kind);
  result.scale = scale;
  for (Index z = 0; z < dim; ++z) {
    const auto at = static_cast<double>(z);
    result.alpha[z] = 0.9 + 0.2 * std::sin(1 + 2 * at);
    if (kind != Adjustment::affine) continue;
    result.beta[z] = 0.3 * std::cos(at);
    result.centre[z] = 0.5 - at / static_cast<double>(dim);
  }
  return result;
}

inline double median(const OracleMatrix& divergences) {
  std::vector<Real> values;
  for (long i = 0; i < divergences.dim(); ++i)
    for (long j = 0; j < i; ++j) values.push_back(divergences(i, j));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return static_cast<double>(values[values.size() / 2]);
}

/// A training set in long double.
struct OracleSet {
  explicit OracleSet(const Dataset& data) : spectra(oracle_spectra(data.matrices())), criteria(data.labels().codes()) {}

  OracleMatrix kernel(const OracleAdjustment& adjustment, Real theta) const {
    return oracle_kernel(oracle_divergences(spectra, adjustment), theta);
  }

  /// How far rounding of the matrices moves their adjusted form: the largest of the condition numbers of matrices,
  /// adjusted matrices and eigenvectors (largest eigenvalue over smallest gap).
  double condition(const OracleAdjustment& adjustment) const {
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

  std::vector<OracleSpectrum> spectra;
  OracleCriteria criteria;
};

}  // namespace dsk::test
