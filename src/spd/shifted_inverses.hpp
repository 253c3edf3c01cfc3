#pragma once

#include <vector>

#include "spd/spd.hpp"

namespace dsk::detail {

/// f(x) = constant + sum_s weights[s] / (x + shifts[s]), to rounding, for x between 1 / sqrt(condition) and
/// sqrt(condition). The shifts are positive.
struct ShiftedInverseRule {
  double constant = 0;
  std::vector<double> shifts, weights;
};

/// The largest condition that there is a rule for, and the number of shifts it needs at most.
inline constexpr double largest_rule_condition = 0x1p32;
inline constexpr Index most_shifts = 80;

const ShiftedInverseRule& shifted_inverse_rule(SpectralFunction function, double condition);

}  // namespace dsk::detail
