#pragma once

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

}  // namespace dsk::test
