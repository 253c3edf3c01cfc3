#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk {

/// Principal components of points known by their kernel matrix: (n, components), the largest first, signs such that
/// each column's entry of largest size is positive. Components beyond the rank are 0. Takes n^3 time. Throws
/// InvalidInput for a matrix that is not square and finite or a number of components outside 1..n.
Matrix kernel_principal_components(const Matrix& kernel, Index components);

}  // namespace dsk
