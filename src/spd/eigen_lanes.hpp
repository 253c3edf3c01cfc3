#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk::detail {

/// Matrices that one call takes at most: what the widest vector of any target holds.
inline constexpr Index eigen_group = 8;

/// Doubles of cache-line aligned scratch that the functions below need.
Index eigen_scratch(Index dim);

/// Eigenvalues (descending) and eigenvectors (columns) of `count` <= eigen_group symmetric matrices, row-major, one
/// behind the other, by tridiagonalisation and implicit QL, one matrix per vector lane. Errors are relative to the
/// largest eigenvalue. No matrix's result depends on the others. Bit i of the answer: matrix i did not converge.
unsigned decompose_group(const double* matrices, Index count, Index dim, double* scratch, double* values,
                         double* vectors);

/// U diag(values) U' of `count` <= eigen_group matrices, symmetric to the bit.
void recompose_group(const double* values, const double* vectors, Index count, Index dim, double* scratch,
                     double* matrices);

}  // namespace dsk::detail
