#pragma once

#include <dsk/spd/matrix.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// Relative asymmetry up to which a matrix counts as symmetric and is symmetrised; float32 data cannot keep the first.
inline constexpr double symmetry_tolerance = 1e-8;
inline constexpr double symmetry_tolerance_float32 = 1e-5;

enum class Defect { none, not_finite, asymmetric, indefinite, rank_deficient };

std::string_view name(Defect defect);

/// What is wrong with one matrix, if anything. The numbers beyond `defect` are NaN or 0 where the matrix is not finite.
/// Definiteness and rank are judged after scaling to unit diagonal, so that rows may come in units far apart.
struct Diagnosis {
  Index index = 0;
  Index dim = 0;
  Defect defect = Defect::none;
  double asymmetry = 0;                        ///< largest |x_ij - x_ji| over the largest |x_ij|
  double symmetry_limit = symmetry_tolerance;  ///< the asymmetry that is allowed
  double smallest_eigenvalue = 0;
  double largest_eigenvalue = 0;
  double condition = 0;  ///< largest over smallest eigenvalue; infinite if the smallest is not positive
  Index numerical_rank = 0;

  /// One line: what is wrong with matrix `index`, and which repair to ask for.
  std::string message() const;
};

/// Examines every matrix; one entry each, in order.
std::vector<Diagnosis> diagnose(const MatrixStack& stack);

}  // namespace dsk
