#pragma once

#include <dsk/spd/batch.hpp>

namespace dsk::detail {

/// A batch of matrices that are symmetric to the bit and positive definite by construction: only looked through for
/// entries that are not finite, for which it throws InvalidInput.
SpdBatch trust(MatrixStack&& stack);

}  // namespace dsk::detail
