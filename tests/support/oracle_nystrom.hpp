#pragma once

#include <algorithm>

#include "support/oracle.hpp"

/// Nystrom's approximation of a kernel matrix, by the inverse of the landmarks' part of it.
namespace dsk::test {

/// K_nm K_mm^-1 K_mn.
template <class Positions>
OracleMatrix oracle_nystrom(const OracleMatrix& kernel, const Positions& landmarks) {
  const auto count = static_cast<long>(landmarks.size());
  const auto at = [&](long a) { return static_cast<long>(landmarks[static_cast<std::size_t>(a)]); };
  OracleMatrix among(count);
  for (long a = 0; a < count; ++a)
    for (long b = 0; b < count; ++b) among(a, b) = kernel(at(a), at(b));
  const OracleMatrix weights = inverse(among);
  OracleMatrix result(kernel.dim());
  for (long i = 0; i < kernel.dim(); ++i)
    for (long j = 0; j < kernel.dim(); ++j)
      for (long a = 0; a < count; ++a)
        for (long b = 0; b < count; ++b) result(i, j) += kernel(i, at(a)) * weights(a, b) * kernel(at(b), j);
  return result;
}

/// What the approximation lacks on the diagonal.
template <class Positions>
RealVector oracle_residuals(const OracleMatrix& kernel, const Positions& landmarks) {
  const OracleMatrix found = oracle_nystrom(kernel, landmarks);
  RealVector result;
  for (long i = 0; i < kernel.dim(); ++i) result.push_back(std::max<Real>(0, kernel(i, i) - found(i, i)));
  return result;
}

}  // namespace dsk::test
