#pragma once

#include <dsk/describe.hpp>

namespace dsk::detail {

/// Magnitudes at every pixel, scale by scale.
std::vector<Matrix> gabor_magnitudes(const Matrix& grey, Index scales, Index orientations);

}  // namespace dsk::detail
