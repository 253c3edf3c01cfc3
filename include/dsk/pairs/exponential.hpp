#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk {

/// Replaces every entry v of the matrix by exp(factor v), for factor v up to 700. `threads` = 0 uses all cores.
void exponential_in_place(Matrix& matrix, double factor, int threads = 0);

/// The same for a run of numbers, on the calling thread.
void exponential_in_place(std::span<double> values, double factor);

}  // namespace dsk
