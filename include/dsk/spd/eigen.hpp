#pragma once

#include <dsk/spd/batch.hpp>

namespace dsk {

/// X_i = U_i diag(lam_i) U_i', eigenvalues descending and positive.
struct EigenBatch {
  Matrix values;        ///< (n, d), row i the eigenvalues of matrix i
  MatrixStack vectors;  ///< columns of matrix i are its eigenvectors
};

/// Decomposes every matrix; `threads` = 0 uses all cores. The result does not depend on the number of threads.
EigenBatch eigen_decompose(const SpdBatch& batch, int threads = 0);

/// U_i diag(values_i) U_i' for every matrix, symmetric to the bit.
MatrixStack recompose(const Matrix& values, const MatrixStack& vectors, int threads = 0);

}  // namespace dsk
