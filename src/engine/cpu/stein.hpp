#pragma once

#include "engine/sweep.hpp"

namespace dsk::engine {

/// All pairs of x with x or, unless it is null, with y. All ranks of a team get the whole matrix.
Matrix pair_matrix(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const PairOptions& options);

/// The divergences tile by tile, as PairSweep::visit.
void visit_pairs(const SpdBatch& x, const SpdBatch* y, const TileVisitor& visitor, const PairOptions& options);

using StripVisitor = std::function<void(Index row, Index first_column, std::span<const double> divergence)>;

/// Offers every unordered pair of a batch once (row < first_column + l), in runs of at most kLargestTile. Runs offered
/// at the same time share no row and no column, and those of a row or column come in the same order for any number of
/// threads.
void visit_strips(const SpdBatch& x, const StripVisitor& visit, const PairOptions& options);

}  // namespace dsk::engine
