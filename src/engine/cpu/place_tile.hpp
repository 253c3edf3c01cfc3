#pragma once

#include <dsk/matrices.hpp>

namespace dsk::engine {

/// Copies a tile (row-major, `stride` apart) into a matrix of `width` columns at (row, column) and, if `mirror`, its
/// transpose at (column, row).
void place_tile(const double* values, Index stride, Index rows, Index columns, double* matrix, Index width, Index row,
                Index column, bool mirror);

}  // namespace dsk::engine
