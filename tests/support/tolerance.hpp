#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsk::test {

/// The accuracy the library promises for quantities made of log-determinants, inverses and eigenvalues of d x d
/// matrices of the given condition number, relative to a magnitude of 1 or more.
inline double tolerance(long dim, double condition, double magnitude = 1) {
  return 64 * std::numeric_limits<double>::epsilon() * static_cast<double>(dim) * condition * std::max(1.0, magnitude);
}

inline double tolerance_float32(long dim, double condition, double magnitude = 1) {
  return tolerance(dim, condition, magnitude) / std::numeric_limits<double>::epsilon() *
         static_cast<double>(std::numeric_limits<float>::epsilon());
}

/// Of a criterion and its derivatives. Where S is off by e, K = exp(-theta S) is by theta e of itself, and the duals of
/// n points with K + I/C by at most (1 + n C) times what K is.
struct KernelRounding {
  long dim = 1;
  double condition = 1;
  double theta = 1;
  double dual_condition = 1;  ///< 1 + n C for the margin criteria

  double tolerance(double magnitude) const {
    return test::tolerance(dim, condition * std::max(1.0, theta) * dual_condition, magnitude);
  }
};

/// Of a bounded margin problem, which LIBSVM solves up to 1e-6 in the margins with kernel values in single precision.
inline double bounded_dual_tolerance(double magnitude) {
  return 1e-6 + 64 * static_cast<double>(std::numeric_limits<float>::epsilon()) * std::max(1.0, magnitude);
}

}  // namespace dsk::test
