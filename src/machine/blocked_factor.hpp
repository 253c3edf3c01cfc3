#pragma once

#include "machine/lapack.hpp"

namespace dsk::detail {

/// Whether matrices of this size are factored block by block, which several threads can share.
bool is_factored_by_threads(lapack::Size dim);
/// The same as lapack::factor, by all of `threads` where it goes block by block, with the same bits for any number.
bool factor_by_threads(double* matrix, lapack::Size dim, int threads);

}  // namespace dsk::detail
