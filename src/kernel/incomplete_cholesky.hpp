#pragma once

#include <dsk/kernel.hpp>

#include "kernel/kernel.hpp"

namespace dsk::detail {

/// A matrix with no larger residual is not told from a combination of landmarks: rounding of kernel values, magnified
/// by the root of a pivot, stays far below what single precision features keep.
inline constexpr double smallest_residual = 1e-10;

struct IncompleteCholesky {
  std::vector<Index> pivots;            ///< positions in the pool
  std::vector<double> residual_shares;  ///< after each pivot, as in NystromFit
  Matrix factor;                        ///< of the pivots' kernel matrix, lower
};

/// Factors the pool's kernel matrix, of which only the pivots' columns are ever computed. The pool stands for
/// `represented` matrices.
IncompleteCholesky incomplete_cholesky(const ComparedBatch& pool, double theta, Index represented,
                                       const NystromOptions& options);

}  // namespace dsk::detail
