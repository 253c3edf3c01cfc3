#pragma once

#include <dsk/matrices.hpp>

#include <vector>

namespace dsk::engine {

/// A tile of `rows` rows as doubles: itself, or a copy in `wide`.
inline const double* as_doubles(const double* values, Index, Index, std::vector<double>&) {
  return values;
}

inline const double* as_doubles(const float* values, Index stride, Index rows, std::vector<double>& wide) {
  wide.assign(values, values + stride * rows);
  return wide.data();
}

}  // namespace dsk::engine
