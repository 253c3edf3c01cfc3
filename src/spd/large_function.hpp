#pragma once

#include "spd/shifted_inverses.hpp"

namespace dsk::detail {

/// Tridiagonal T, symmetric.
struct TridiagonalView {
  Index dim;
  const double* diagonal;
  const double* off;  ///< dim - 1
};

/// Adds sum_s weights[s] (T + shifts[s])^-1 to the lower triangle of a row-major matrix. T + shifts[s] must be positive
/// definite.
void add_shifted_inverses(const TridiagonalView& t, const ShiftedInverseRule& rule, double* matrix);

/// f(W X W') of one matrix by LAPACK, W = I if it is null. `condition` as in GroupFunction. False if the matrix is not
/// positive definite, too ill-conditioned or diagonal; its result is then to be computed from eigenvectors.
bool large_function(SpectralFunction function, const double* matrix, Index dim, const Matrix* congruence,
                    double* result, double& condition);

}  // namespace dsk::detail
