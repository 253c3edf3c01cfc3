#pragma once

#include <dsk/pairs/options.hpp>
#include <dsk/spd/batch.hpp>

#include <functional>

namespace dsk {

/// The mean of matrices `row` and `column` is not numerically positive definite: overflow, or condition above 1e15.
class PairFailure : public InvalidInput {
 public:
  PairFailure(Index row, Index column);
  Index row() const { return row_; }
  Index column() const { return column_; }

 private:
  Index row_;
  Index column_;
};

enum class PairQuantity {
  divergence,  ///< S(X, Y) = logdet((X + Y)/2) - (logdet X + logdet Y)/2, never negative, exactly 0 for X = Y
  logdet       ///< logdet((X + Y)/2)
};

/// A rectangle of the result: entry (r, c) belongs to the pair (row + r, column + c).
struct PairTile {
  Index row = 0;
  Index column = 0;
  Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> values;
};

/// Called once per tile, from several threads at a time. The values are gone after the call.
using TileVisitor = std::function<void(const PairTile&)>;

/// All pairs of x with x (symmetric to the bit) or of x with y, as a matrix. Every entry depends on its two matrices
/// and on the largest diagonal entries of the batches only, never on order, neighbours or threads.
/// Throws PairFailure for the first pair (in row order) that is not numerically positive definite. All ranks of a team
/// get the whole matrix.
Matrix pair_matrix(const SpdBatch& x, PairQuantity quantity, const PairOptions& options = {});
Matrix pair_matrix(const SpdBatch& x, const SpdBatch& y, PairQuantity quantity, const PairOptions& options = {});

/// The same tile by tile, in memory that does not grow with the number of pairs. With one batch the tiles cover the
/// pairs with row <= column (tiles on the diagonal are whole squares); those visited at the same time share no row and
/// no column, and those of a row come in the same order for any number of threads, so that sums kept per row and column
/// need no locks and always get the same bits. Of a team each rank visits its share of the tiles.
void visit_pairs(const SpdBatch& x, PairQuantity quantity, const TileVisitor& visit, const PairOptions& options = {});
void visit_pairs(const SpdBatch& x, const SpdBatch& y, PairQuantity quantity, const TileVisitor& visit,
                 const PairOptions& options = {});

}  // namespace dsk
