#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk::detail {

/// Matrices that one call takes at most: what the widest vector of any target holds.
inline constexpr Index eigen_group = 8;

/// Above this a matrix is decomposed on its own. Measured against Eigen's solver with AVX-512, full groups of lanes
/// take a fifth of the time at d = 5 and 16, a third at 43 and 40 % at 100 and 200, but a matrix alone in its group
/// takes twice as long at 100 and three times at 200, where a group also outgrows the cache and leaves threads without
/// work.
inline constexpr Index largest_in_lanes = 128;

/// Doubles of cache-line aligned scratch that the functions below need.
Index eigen_scratch(Index dim);

/// Eigenvalues (descending) and eigenvectors (columns) of `count` <= eigen_group symmetric matrices of at most
/// largest_in_lanes rows, row-major, one behind the other, by tridiagonalisation and implicit QL, one matrix per vector
/// lane. Errors are relative to the largest eigenvalue. No matrix's result depends on the others. Bit i of the answer:
/// matrix i did not converge.
unsigned decompose_group(const double* matrices, Index count, Index dim, double* scratch, double* values,
                         double* vectors);

/// U diag(values) U' of `count` <= eigen_group matrices, symmetric to the bit.
void recompose_group(const double* values, const double* vectors, Index count, Index dim, double* scratch,
                     double* matrices);

}  // namespace dsk::detail
