#pragma once

#include <dsk/spd/matrix.hpp>

namespace dsk::detail {

/// Lower Cholesky factor of a matrix that passed the check of SpdBatch; zeros above the diagonal. Goes through unit
/// diagonal, so that it exists whatever units the rows are in.
void cholesky_factor(const MatrixView& x, Matrix& lower);

}  // namespace dsk::detail
