#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk::detail {

/// Eigenvalues (descending) and eigenvectors (columns) of a numerically positive definite matrix. Slower than
/// tridiagonalisation, but small eigenvalues keep their digits and their sign however the rows are scaled:
/// one-sided Jacobi on the Cholesky factor (Demmel & Veselic 1992).
void positive_eigen(const MatrixView& x, Eigen::VectorXd& values, Eigen::MatrixXd& vectors);

}  // namespace dsk::detail
