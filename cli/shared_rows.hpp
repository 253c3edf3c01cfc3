#pragma once

#include <dsk/matrices.hpp>

#include <functional>

namespace dsk::cli {

/// Compares all pairs of x with x, or of x with y unless y is null; each pair by itself.
using PairFunction = std::function<Matrix(const SpdBatch& x, const SpdBatch* y)>;

/// What the function makes of x and y, to the bit, made by all ranks: each has some rows (of x with x, as many pairs as
/// the others) and gives them to rank 0, which alone gets the result; the others get an empty matrix.
Matrix over_ranks(const SpdBatch& x, const SpdBatch* y, const PairFunction& compute);

}  // namespace dsk::cli
