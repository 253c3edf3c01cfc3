#pragma once

#include <vector>

#include "spd/spd.hpp"

namespace dsk::detail {

/// f(x) = constant + sum_s weights[s] / (x + shifts[s]), to rounding, for x between 1 / sqrt(condition) and
/// sqrt(condition). The shifts are positive.
struct ShiftedInverseRule {
  double constant = 0;
  std::vector<double> shifts, weights;
};

/// The largest condition that there is a rule for, and the number of shifts it needs at most.
inline constexpr double largest_rule_condition = 0x1p32;
inline constexpr Index most_shifts = 80;

const ShiftedInverseRule& shifted_inverse_rule(SpectralFunction function, double condition);

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
