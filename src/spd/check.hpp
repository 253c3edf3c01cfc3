#pragma once

#include <dsk/spd/diagnose.hpp>

namespace dsk::detail {

/// Throws InvalidInput unless `values` numbers make up `count` >= 1 matrices of size `dim` >= 1.
void check_shape(std::size_t values, Index count, Index dim);

/// Averages x with its transpose. False if x is not finite or not symmetric up to the tolerance.
bool symmetrise(Eigen::Map<Matrix> x, double tolerance);

/// D^-1/2 X D^-1/2 with D the diagonal of X, which must be positive: the same for data in any units.
void scale_to_unit_diagonal(const MatrixView& x, Matrix& scaled);

/// Whether the matrix scaled to unit diagonal has a Cholesky factor and no eigenvalue near or below dim * epsilon.
/// Keeps its memory in the two matrices.
bool is_positive_definite(const MatrixView& x, Matrix& scratch, Matrix& inverse);

Diagnosis diagnose_matrix(const MatrixView& x, Index index, double tolerance);

}  // namespace dsk::detail
