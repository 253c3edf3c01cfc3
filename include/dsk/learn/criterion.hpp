#pragma once

#include <dsk/kernel/learned_kernel.hpp>
#include <dsk/spd/dataset.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace dsk {

/// How well a kernel separates the classes. The first four are the paper's.
enum class Criterion {
  alignment,      ///< <T, K> / (n |K|), T = +1 for pairs of one class and -1 for others; maximised
  separability,   ///< tr S_B / tr S_W, between-class over within-class scatter; maximised
  radius_margin,  ///< R^2 |w|^2, summed over pairs of classes; minimised
  trace_margin,   ///< tr S_T |w|^2, summed over pairs of classes; minimised
  centred,        ///< alignment of the doubly centred kernel with the doubly centred same-class indicator; maximised
  neighbour       ///< mean log probability that a neighbour drawn with p_ij ~ K_ij has the same class; maximised
};

/// Reads a name (radius-margin, ...) or the paper's letters (ka, cs, rm, tm); throws InvalidInput.
Criterion parse_criterion(std::string_view text);
std::string_view name(Criterion criterion);
bool is_maximised(Criterion criterion);
/// Whether the criterion has a parameter C of its own: the radius and the trace margin, with their L2-norm soft margin.
bool has_soft_margin(Criterion criterion);

/// A criterion's value and its derivatives at a kernel.
struct CriterionGradient {
  double value = 0;
  Eigen::VectorXd by_slope;      ///< dJ/da_z, of log lam~_z = a_z (log(lam_z / scale) - m_z) + m_z + b_z
  Eigen::VectorXd by_intercept;  ///< dJ/db_z
  double by_log_c = 0;           ///< dJ/dlog C, 0 for a criterion without C
};

/// A criterion on a training set, as a function of the kernel.
class CriterionFunction {
 public:
  /// Decomposes the matrices. Throws InvalidInput for fewer than two classes, and for the neighbour criterion if no
  /// class has two members.
  CriterionFunction(Criterion criterion, const Dataset& train, const PairOptions& options = {});
  CriterionFunction(CriterionFunction&&) noexcept;
  CriterionFunction& operator=(CriterionFunction&&) noexcept;
  ~CriterionFunction();

  /// Value and gradient together, at about four times the cost of a kernel matrix, in memory that grows with n d^2; the
  /// margin criteria keep the kernel matrix too. Throws InvalidInput where the kernel leaves the range of double.
  CriterionGradient operator()(const LearnedKernel& kernel, double c = 1) const;
  /// Values of the plain Stein kernel for every theta (rows) and C (columns; without meaning for the other criteria).
  Matrix plain_values(std::span<const double> thetas, std::span<const double> cs) const;
  /// Logarithms of the eigenvalues, descending, (n, d).
  const Matrix& log_eigenvalues() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsk
