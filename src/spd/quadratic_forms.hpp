#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk::detail {

/// Doubles of scratch that quadratic_forms needs.
Index quadratic_forms_scratch(Index dim);

/// forms[z] = u_z' A u_z for all columns u_z of a matrix; both are dim x dim, row-major, A symmetric.
void quadratic_forms(const double* a, const double* columns, Index dim, double* scratch, double* forms);

}  // namespace dsk::detail
