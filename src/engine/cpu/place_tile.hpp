#pragma once

#include <dsk/matrices.hpp>

#include <vector>

namespace dsk::engine {

/// Copies a tile (row-major, `stride` apart) into a matrix of `width` columns at (row, column) and, if `mirror`, its
/// transpose at (column, row).
void place_tile(const double* values, Index stride, Index rows, Index columns, double* matrix, Index width, Index row,
                Index column, bool mirror);

/// A tile of `rows` rows as doubles: itself, or a copy in `wide`.
inline const double* as_doubles(const double* values, Index, Index, std::vector<double>&) {
  return values;
}

inline const double* as_doubles(const float* values, Index stride, Index rows, std::vector<double>& wide) {
  wide.assign(values, values + stride * rows);
  return wide.data();
}

}  // namespace dsk::engine
