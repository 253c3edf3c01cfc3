#pragma once

#include <dsk/kernel.hpp>

namespace dsk::test {

/// A kernel that adjusts every eigenvalue differently.
inline LearnedKernel some_kernel(Index dim) {
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(dim);
  for (Index z = 0; z < dim; ++z) adjustment.alpha[z] = 1.2 - 0.1 * static_cast<double>(z);
  return {adjustment, 1.5};
}

}  // namespace dsk::test
