#pragma once

#include <dsk/pairs/options.hpp>
#include <dsk/spd/batch.hpp>

namespace dsk {

/// Squared affine invariant distances, sum of log^2 of the eigenvalues of X^-1 Y, of all pairs of x with x (symmetric
/// to the bit, zero diagonal) or of x with y; exactly 0 for equal matrices. Always in double precision.
Matrix pair_squared_airm(const SpdBatch& x, const PairOptions& options = {});
Matrix pair_squared_airm(const SpdBatch& x, const SpdBatch& y, const PairOptions& options = {});

}  // namespace dsk
