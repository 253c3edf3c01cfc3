#pragma once

#include <dsk/spd/matrix.hpp>

#include <string>
#include <string_view>

namespace dsk {

enum class Defect { none, not_finite, asymmetric, indefinite, rank_deficient };

std::string_view name(Defect defect);

/// What is wrong with one matrix, if anything. The numbers beyond `defect` are NaN or 0 where the matrix is not finite.
struct Diagnosis {
  Index index = 0;
  Defect defect = Defect::none;
  double asymmetry = 0;            ///< largest |x_ij - x_ji| over the largest |x_ij|
  double smallest_eigenvalue = 0;
  double largest_eigenvalue = 0;
  double condition = 0;            ///< largest over smallest eigenvalue; infinite if the smallest is not positive
  Index numerical_rank = 0;

  /// One line: what is wrong with matrix `index`, and which repair to ask for.
  std::string message() const;
};

/// Relative asymmetry up to which a matrix counts as symmetric and is symmetrised.
inline constexpr double symmetry_tolerance = 1e-8;

/// Examines every matrix; one entry each, in order.
std::vector<Diagnosis> diagnose(const MatrixStack& stack);

}  // namespace dsk
