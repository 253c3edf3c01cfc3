#pragma once

#include <dsk/matrices.hpp>

#include <optional>
#include <span>
#include <vector>

#include "kernel/kernel.hpp"
#include "machine/aligned.hpp"

namespace dsk::detail {

/// min b'Kb/2 - p'b where lower <= b <= upper and sum(b) is given: the dual of a support vector machine (p the signs, b
/// the signed coefficients, their sum 0) and of a smallest ball (p = 0, their sum 1).
struct BoxProblem {
  Eigen::VectorXd p;
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;  ///< may be infinite
};

struct BoxSolution {
  Eigen::VectorXd b;
  double multiplier = 0;  ///< of the sum: p - Kb where b is between its bounds
};

/// Sequential minimal optimisation with second-order choice of the pair (Fan, Chen & Lin 2005), in SIMD lanes and
/// double precision, for duals so small that the whole kernel matrix stays in cache.
class BoxDual {
 public:
  /// Copies the kernel matrix.
  explicit BoxDual(const Matrix& kernel);

  /// Starts from b, which must be feasible. Ends when p - Kb is where it must be up to the tolerance, or after
  /// `max_steps`.
  BoxSolution solve(const BoxProblem& problem, const Eigen::VectorXd& start, double tolerance, Index max_steps) const;

 private:
  Index size_;
  Index padded_;
  AlignedArray<double> rows_;      ///< size x padded
  AlignedArray<double> diagonal_;  ///< padded
};

/// The arrays of a dual, all padded to whole vectors with entries whose bounds are 0.
struct BoxArrays {
  const double* rows;
  const double* diagonal;
  const double* lower;
  const double* upper;
  double* b;
  double* ascent;  ///< p - Kb
  Index padded;
};

struct BoxProgress {
  double highest = 0;  ///< of p - Kb where b can grow
  double lowest = 0;   ///< of p - Kb where b can shrink
  Index steps = 0;
};

/// Takes steps until highest - lowest is within the tolerance, or so many were taken.
BoxProgress box_steps(const BoxArrays& arrays, double tolerance, Index max_steps);

/// The same problems by LIBSVM, which keeps kernel values in single precision.
BoxSolution libsvm_margin(const Matrix& kernel, const Eigen::VectorXd& signs, const MarginBounds& bounds,
                          double tolerance);
BoxSolution libsvm_ball(const Matrix& kernel, double tolerance);

/// min b'Kb/2 - p'b where t_i b_i >= 0 and sum(b) is given; K positive definite. The dual of a support vector machine
/// with squared slacks (p and t the signs, the sum 0) and of a smallest ball (p = 0, t = 1, the sum 1).
struct SignedProblem {
  const Matrix& kernel;
  const double* linear = nullptr;  ///< p; null: 0
  const double* signs = nullptr;   ///< t; null: 1
  double sum = 0;
};

struct SettledDual {
  Eigen::VectorXd b;
  double square = 0;      ///< b'Kb
  double multiplier = 0;  ///< mu of the condition t (Kb - p - mu) >= 0, 0 where b is not 0
};

/// The rows U of U'U = A in place of those of the positive definite A, of which the upper triangle is read; in further
/// columns, U'^-1 times what is there. False if A is not positive definite. Rows are aligned, their stride a multiple
/// of every vector length.
bool factor_rows(double* rows, Index size, Index stride);
/// x becomes U^-1 x. It has room for as many entries as a row.
void solve_upper(const double* rows, Index size, Index stride, double* x);
/// The sum of some rows of a square matrix times factors; `sum` is aligned.
void add_rows(const double* kernel, Index size, const Index* positions, const double* factors, Index count,
              double* sum);

/// Memory in which exact solutions are found, kept from one to the next.
struct SettleSpace {
  void reserve(Index size);
  /// The solution where b is 0 off the support, and the multiplier. False where there is none.
  bool solve(const SignedProblem& problem, std::span<const Index> support);

  AlignedArray<double> rows = {}, on_support = {}, products = {};
  double multiplier = 0;
};

/// The exact solution, reached from a guess of its support, which ascends: solves on the support, drops what gets the
/// wrong sign, takes in what violates its condition. Nothing if that does not settle, as with a K that is almost
/// singular.
std::optional<SettledDual> settle(const SignedProblem& problem, std::vector<Index> support);

/// Positions of the positive entries.
std::vector<Index> support_of(const Eigen::VectorXd& x);

}  // namespace dsk::detail
