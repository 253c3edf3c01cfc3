#pragma once

#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"

namespace dsk::engine {

/// Computes the Cholesky factor of x divided by 2^exponent, so that factors of data in any units can be multiplied, and
/// returns the exponent.
int scaled_factor(const MatrixView& x, Matrix& factor);
/// The same with a Cholesky factor of x at hand.
int scale_factor(Matrix& factor);

/// Whether spectra of pairs of matrices of this size are computed one at a time by large_spectra.
bool has_large_spectra(Index dim);

/// Distances, or their squares, that belong to `value` of each pair of x with x (y null) or y.
Matrix large_spectra(SpectrumValue value, const SpdBatch& x, const SpdBatch* y, const PairOptions& options);

/// The same, to the bit, of matrices that nobody has checked. Nothing for matrices that are not certainly valid and
/// exactly symmetric, or not large.
std::optional<Matrix> large_spectra(SpectrumValue value, const StackView& x, const StackView* y,
                                    const PairOptions& options);

/// Answers with the bits of squared_logs.
std::unique_ptr<DistanceQuery> large_airm_query(const SpdBatch& known);

}  // namespace dsk::engine
