#pragma once

#include <dsk/matrices.hpp>

namespace dsk::detail {

/// exp(S) of a symmetric matrix S, exp(S/2) and exp(-S/2).
struct Exponential {
  Matrix whole;
  Matrix root;
  Matrix inverse_root;
};
Exponential exponential(const Matrix& symmetric);

/// Eigenvalues and eigenvectors of W X_i W' for the matrices first to last - 1 of a batch.
EigenBatch eigen_of_congruences(const SpdBatch& x, Index first, Index last, const Matrix& w);

/// The same for symmetric matrices that need not be positive definite. Errors are relative to the largest eigenvalue or
/// to 1, whichever is larger.
EigenBatch eigen_of_symmetric(MatrixStack stack);

}  // namespace dsk::detail
