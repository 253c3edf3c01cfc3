#pragma once

#include <dsk/matrices.hpp>

namespace dsk::detail {

/// Rows are filled up to a multiple of so many doubles, the widest vector there is.
inline constexpr Index scatter_padding = 8;

/// Takes the mean off a row of `samples` numbers, aligned and with room for `stride`, and sets the rest to 0. A row of
/// equal numbers becomes exactly 0. Returns the mean.
double centre_row(double* row, Index samples, Index stride);

/// sums[r, c] += sum of row r times row c, for c <= r at least; `sums` is dim x dim.
void add_scatter(const double* rows, Index dim, Index stride, double* sums);

}  // namespace dsk::detail
