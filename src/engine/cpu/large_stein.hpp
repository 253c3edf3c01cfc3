#pragma once

#include <dsk/matrices.hpp>

namespace dsk::engine {

/// Whether log-determinants of this size are computed one at a time.
bool has_large_logdets(Index dim);

/// Whether so few factors are computed one after the other, each on all threads.
bool is_one_by_one(Index factors, Index dim, int threads);

/// log det of a symmetric matrix, whose lower triangle becomes its Cholesky factor; NaN if it is not positive definite.
double logdet_in_place(double* matrix, Index dim, int threads);

}  // namespace dsk::engine
