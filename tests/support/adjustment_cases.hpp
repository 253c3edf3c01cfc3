#pragma once

#include <algorithm>

#include "support/made_classes.hpp"
#include "support/oracle_adjustment.hpp"

namespace dsk::test {

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

}  // namespace dsk::test
