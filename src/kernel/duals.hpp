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

/// min x'Qx/2 - p'x over x >= 0 with a'x = c; Q positive definite.
struct QuadraticProblem {
  const Matrix& q;
  Eigen::VectorXd p;
  Eigen::VectorXd a;
  double c = 0;
};

struct QuadraticSolution {
  Eigen::VectorXd x;
  double multiplier = 0;  ///< mu of the condition Qx - p - mu a >= 0, 0 where x > 0
};

/// The exact solution, reached from a guess of its support: solves on the support, drops what gets negative, takes in
/// what violates its condition. Nothing if that does not settle, as with a Q that is almost singular.
std::optional<QuadraticSolution> settle(const QuadraticProblem& problem, std::vector<Index> support);

/// Positions of the positive entries.
std::vector<Index> support_of(const Eigen::VectorXd& x);

}  // namespace dsk::detail
