#pragma once

#include "engine/cpu/packed.hpp"

namespace dsk::engine {

/// Some groups of a batch, each matrix to be averaged with the same other one.
struct InverseSumTile {
  const PackedBatch<double>* x = nullptr;
  const double* with = nullptr;     ///< packed like the rows of x
  const double* weights = nullptr;  ///< one per matrix, 0 up to whole groups
  Index group = 0;
  Index groups = 0;
  const double* squares = nullptr;  ///< per element of the packed triangle: what undoes the scale of its square,
  const double* traces = nullptr;   ///< and per coordinate of the diagonal
};

/// Weighted sums over the tile.
struct InverseSumParts {
  double squared_traces = 0;
  double squared_norms = 0;
  bool positive = true;
};

/// Doubles of scratch memory for the function below.
Index inverse_sum_scratch(Index dim);

/// Writes the weighted sum of the inverses, a packed triangle, to out.
InverseSumParts inverse_sum_tile(const InverseSumTile& tile, double* scratch, double* out);

}  // namespace dsk::engine
