#pragma once

#include <dsk/pairs/options.hpp>
#include <dsk/spd/matrix.hpp>

namespace dsk {

/// Squared Euclidean distances of all pairs of rows of x (symmetric to the bit, zero diagonal) or of rows of x with
/// rows of y. Sums squares of differences, so that close rows lose no digits and equal rows give exactly 0.
Matrix pair_squared_distances(const Matrix& x, const PairOptions& options = {});
Matrix pair_squared_distances(const Matrix& x, const Matrix& y, const PairOptions& options = {});

}  // namespace dsk
