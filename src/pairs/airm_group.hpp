#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk::engine {

/// One matrix X against the group of matrices Y in the lanes. Lower triangles are packed row by row.
struct AirmGroup {
  Index dim = 0;
  const double* inverse_factor = nullptr;  ///< of X: inverse of its lower Cholesky factor
  const double* factors = nullptr;         ///< of the Y: lower Cholesky factors, interleaved
  const double* log_offsets = nullptr;     ///< per lane, added to the logarithm of each eigenvalue of X^-1 Y
};

/// Doubles of scratch memory that airm_group needs.
Index airm_scratch(Index dim);

/// Writes the squared distances of the group's pairs to out.
void airm_group(const AirmGroup& group, double* scratch, double* out);

}  // namespace dsk::engine
