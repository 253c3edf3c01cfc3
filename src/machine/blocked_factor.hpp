#pragma once

#include "machine/lapack.hpp"

namespace dsk::detail {

/// The same as lapack::factor by all of `threads`, with the same bits for any number of them: from a few hundred rows
/// on, block by block.
bool factor_by_threads(double* matrix, lapack::Size dim, int threads);

}  // namespace dsk::detail
