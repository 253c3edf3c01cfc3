#pragma once

#include <dsk/matrices.hpp>

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

/// A batch of matrices that are symmetric to the bit and positive definite by construction: only looked through for
/// entries that are not finite, for which it throws InvalidInput.
SpdBatch trust(MatrixStack&& stack);

/// Lower Cholesky factor of a matrix that passed the check of SpdBatch; zeros above the diagonal. Goes through unit
/// diagonal, so that it exists whatever units the rows are in.
void cholesky_factor(const MatrixView& x, Matrix& lower);

/// Eigenvalues (descending) and eigenvectors (columns) of a numerically positive definite matrix. Slower than
/// tridiagonalisation, but small eigenvalues keep their digits and their sign however the rows are scaled:
/// one-sided Jacobi on the Cholesky factor (Demmel & Veselic 1992).
void positive_eigen(const MatrixView& x, Eigen::VectorXd& values, Eigen::MatrixXd& vectors);

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

/// Doubles of scratch that quadratic_forms needs.
Index quadratic_forms_scratch(Index dim);

/// forms[z] = u_z' A u_z for all columns u_z of a matrix; both are dim x dim, row-major, A symmetric.
void quadratic_forms(const double* a, const double* columns, Index dim, double* scratch, double* forms);

}  // namespace dsk::detail
