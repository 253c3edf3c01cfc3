#pragma once

#include <dsk/matrices.hpp>

#include <optional>
#include <vector>

namespace dsk::detail {

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
