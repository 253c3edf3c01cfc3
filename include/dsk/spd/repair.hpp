#pragma once

#include <dsk/spd/batch.hpp>

#include <string_view>

namespace dsk {

enum class RepairKind {
  none,
  shrink,  ///< (1 - amount) X + amount tr(X)/d I
  ridge,   ///< X + amount tr(X)/d I
  clip     ///< eigenvalues below amount * (largest) raised to it
};

/// How to make broken matrices positive definite. All three are free of units: data times c is repaired to the same
/// times c.
struct Repair {
  RepairKind kind = RepairKind::none;
  double amount = 0;  ///< shrink: 0..1; ridge: > 0; clip: 0..1

  /// Reads "none", "shrink", "ridge:1e-6", "clip:1e-10"; without a number: shrink 0.01, ridge 1e-6, clip 1e-10.
  static Repair parse(std::string_view text);
};

/// Applies the repair to every matrix and checks the result. What no repair mends (NaN, asymmetry, a matrix of zeros)
/// throws.
SpdBatch repair(MatrixStack stack, const Repair& how);

}  // namespace dsk
