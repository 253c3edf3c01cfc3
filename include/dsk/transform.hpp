#pragma once

#include <dsk/matrices.hpp>

#include <string_view>

namespace dsk {

/// How eigenvalues, sorted descending, are adjusted: power and coefficient are the paper's two ways, affine contains
/// both and does not depend on the data's units.
enum class Adjustment { power, coefficient, affine };

/// Reads "power", "coefficient", "affine" or p, c, a; throws InvalidInput.
Adjustment parse_adjustment(std::string_view text);
std::string_view name(Adjustment adjustment);

/// With l = log(lam_z / scale), the adjusted eigenvalue of X = U diag(lam) U' is the exponential of
///   alpha_z l                            (power)
///   l + log(alpha_z)                     (coefficient)
///   alpha_z (l - m_z) + m_z + beta_z     (affine, m = centre).
struct EigenvalueAdjustment {
  Adjustment kind = Adjustment::power;
  Eigen::VectorXd alpha;   ///< all 1: not adjusted
  Eigen::VectorXd beta;    ///< of affine; zeros otherwise
  Eigen::VectorXd centre;  ///< of affine: the training set's mean of l; zeros otherwise
  double scale = 1;

  /// Leaves matrices of this size as they are.
  static EigenvalueAdjustment none(Index dim, Adjustment kind = Adjustment::power);

  /// Throws InvalidInput, naming the bad entry, unless sizes agree and all is finite, scale and a coefficient's alpha
  /// positive, and beta and centre zeros where they have no meaning.
  void check() const;
  /// The same for adjusting matrices of this size.
  void check_for(Index matrix_dim) const;
  Index dim() const { return alpha.size(); }
  bool is_none() const;
  /// log lam~ = slope log(lam / scale) + intercept, for each position.
  Eigen::VectorXd slope() const;
  Eigen::VectorXd intercept() const;
};

/// Adjusted eigenvalues below this part of their matrix's largest, 4 d^2 eps, are raised to it: beyond it double cannot
/// tell a matrix from a singular one, and new data must not fail for a little more spread than the training set had.
double smallest_adjusted_ratio(Index dim);

/// The logarithms of adjusted eigenvalues, (n, d).
Matrix adjusted_log_eigenvalues(const Matrix& eigenvalues, const EigenvalueAdjustment& adjustment);

/// The matrices with adjusted eigenvalues. Throws InvalidInput if one leaves the range of double.
SpdBatch adjust(const EigenBatch& eigen, const EigenvalueAdjustment& adjustment, int threads = 0);
SpdBatch adjust(const SpdBatch& batch, const EigenvalueAdjustment& adjustment, int threads = 0);

}  // namespace dsk
