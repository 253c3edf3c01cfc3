#pragma once

#include "engine/cpu/packed.hpp"

namespace dsk::engine {

/// The most pairs that are computed together: two groups, of which each hides the other's latency.
inline constexpr Index airm_pairs = 2 * group_size<double>;

/// One matrix X against one or two groups of matrices Y in the lanes. Lower triangles are packed row by row.
struct AirmGroups {
  Index dim = 0;
  Index pairs = airm_pairs;                ///< or half of that
  const double* inverse_factor = nullptr;  ///< of X: inverse of its lower Cholesky factor
  const double* factors = nullptr;         ///< of the Y: lower Cholesky factors, interleaved within each group
  const double* log_offsets = nullptr;     ///< per pair, added to the logarithm of each eigenvalue of X^-1 Y
};

/// Doubles of scratch memory that airm_groups needs.
Index airm_scratch(Index dim);

/// Writes the squared distances of the pairs to out.
void airm_groups(const AirmGroups& groups, double* scratch, double* out);

}  // namespace dsk::engine
