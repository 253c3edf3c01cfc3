#pragma once

#include <dsk/matrices.hpp>

namespace dsk::detail {

/// Rows are padded with zeros to whole numbers of these.
inline constexpr Index row_padding = 16;

/// x'w of a padded, cache-line aligned row in single precision, in double precision.
double dot_row(const float* x, const double* w, Index padded);
/// w += factor x.
void add_row(double factor, const float* x, double* w, Index padded);

}  // namespace dsk::detail
