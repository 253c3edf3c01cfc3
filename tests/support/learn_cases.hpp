#pragma once

#include <dsk/learn.hpp>

#include "support/adjustment_cases.hpp"
#include "support/oracle_learn.hpp"

namespace dsk::test {

/// A training set in long double.
struct OracleSet {
  explicit OracleSet(const Dataset& data) : spectra(oracle_spectra(data.matrices())), criteria(data.labels().codes()) {}

  OracleMatrix kernel(const OracleAdjustment& adjustment, Real theta) const {
    return oracle_kernel(oracle_divergences(spectra, adjustment), theta);
  }

  std::vector<OracleSpectrum> spectra;
  OracleCriteria criteria;
};

}  // namespace dsk::test
