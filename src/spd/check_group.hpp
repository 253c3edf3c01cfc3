#pragma once

#include "spd/spd.hpp"

namespace dsk::detail {

/// Of a few matrices, bit i for matrix i.
struct GroupCheck {
  unsigned valid = 0;  ///< finite, symmetric and numerically positive definite; of the others that is not known
  unsigned exact = 0;  ///< exactly symmetric
};

/// Larger matrices are checked one at a time.
inline constexpr Index largest_checked_in_lanes = 64;

/// Size, in doubles, of the cache-line aligned scratch memory that check_group needs.
Index check_scratch(Index dim);

/// The check of SpdBatch for `count` <= eigen_group matrices at a time, one per vector lane. What does not pass its
/// bounds may still pass CheckedFactor, which also computes the inverse where it must.
GroupCheck check_group(const double* matrices, Index count, Index dim, double tolerance, double* scratch);

}  // namespace dsk::detail
