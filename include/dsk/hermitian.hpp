#pragma once

#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <complex>
#include <span>

namespace dsk {

/// Complex Hermitian matrices as real symmetric ones of twice the size: each entry a + ib becomes the block
/// [[a, -b], [b, a]]. Products, inverses, functions, Cholesky factors and means of the real matrices are those of the
/// complex ones; eigenvalues come in pairs. `values` holds `count` matrices of `dim` x `dim`, row by row. Throws
/// InvalidInput, naming the matrix, if one is not Hermitian up to `tolerance` of its largest entry.
MatrixStack embed_hermitian(std::span<const std::complex<double>> values, Index count, Index dim,
                            double tolerance = symmetry_tolerance);

/// Distances, or squared ones, of embedded matrices are this many times those of the complex ones: squares of most
/// metrics are doubled, and so are the Kullback-Leibler divergences.
double embedding_factor(Metric metric, bool squared);

}  // namespace dsk
