#pragma once

#include <dsk/engine.hpp>

#include <functional>
#include <span>

namespace dsk::detail {

using StripVisitor = std::function<void(Index row, Index first_column, std::span<const double> divergence)>;

/// Offers every unordered pair once (row < first_column + l), in runs of at most kLargestTile. Runs offered at the same
/// time share no row and no column, and those of a row or column come in the same order for any number of threads.
inline void visit_strips(const SpdBatch& x, const PairOptions& options, const StripVisitor& visit) {
  visit_pairs(
      x, PairQuantity::divergence,
      [&](const PairTile& tile) {
        for (Index r = 0; r < tile.values.rows(); ++r) {
          const Index skipped = tile.row == tile.column ? r + 1 : 0, left = tile.values.cols() - skipped;
          if (left > 0)
            visit(tile.row + r, tile.column + skipped,
                  {tile.values.row(r).data() + skipped, static_cast<std::size_t>(left)});
        }
      },
      options);
}

}  // namespace dsk::detail
