#pragma once

#include <dsk/learn.hpp>

namespace dsk {

/// theta, C and the criterion's value of the plain kernel that is best by the criterion.
struct PlainKernel {
  double theta = 1;
  double c = 0;
  double value = 0;
};

/// Searches all valid theta: the half integers up to (d-1)/2, then the open interval above; for the margin criteria
/// together with C. What the options give is kept.
PlainKernel best_plain_kernel(const Dataset& train, const FitOptions& options = {});

}  // namespace dsk
