#pragma once

#include "engine/cpu/packed.hpp"

namespace dsk::engine {

/// A matrix whose nearest are wanted. A half is log det / 2.
struct NearestRow {
  Index dim = 0;
  const double* packed = nullptr;
  double half = 0;
  const double* leading = nullptr;  ///< halves of the leading blocks of 4, 8, ... rows, group_size apart
};

/// A group to compare it with, and to give up when none can be nearer than `limit`.
struct NearestGroup {
  const double* packed = nullptr;
  const double* halves = nullptr;
  const double* leading = nullptr;  ///< as above, for each matrix of the group
  const double* bounds = nullptr;   ///< divergences of some leading block
  double limit = 0;                 ///< with all that rounding may add to a leading block's divergence
};

/// What a group took.
struct NearestOutcome {
  double operations = 0;
  Index failed_lane = -1;  ///< not positive definite; -1: none
};

/// Writes the divergences of two groups, infinity for those that are above the limit.
void nearest_groups(const NearestRow& row, const NearestGroup (&groups)[2], double* divergences, double* scratch,
                    NearestOutcome (&outcomes)[2]);

/// What is done once per matrix, for the matrices of a group: `leading` gets the halves of the leading blocks of 4, 8,
/// ... rows, group_size values each; `inverse_traces` the traces of the inverses, all coordinates in units that make
/// the diagonal 1.
void prepare_group(const double* group, Index dim, double* leading, double* inverse_traces, double* scratch);

/// Doubles of cache-line aligned scratch that the functions above need.
Index nearest_scratch(Index dim);

}  // namespace dsk::engine
