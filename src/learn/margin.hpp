#pragma once

#include "kernel/kernel.hpp"
#include "learn/objective.hpp"

namespace dsk::detail {

/// Two classes against each other: K~ = K + I/C of their members, those of the first class first.
struct ClassPair {
  const Matrix& soft_kernel;
  std::span<const int> signs;
  double c = 1;
};

/// The share of a class pair in a margin criterion: dJ/dK = sum_r factor[r] vector[r] vector[r]' off the diagonal.
struct MarginTerm {
  double value = 0;
  double factor[2] = {0, 0};
  Eigen::VectorXd vector[2];
  double by_log_c = 0;
  MarginDual margin;
  BallDual ball;
};

/// Value and weights of one class pair; `similar`, if any, is the same pair's term for a similar kernel.
using MarginCriterion = MarginTerm (*)(const ClassPair& pair, const MarginTerm* similar);

/// A margin criterion summed over all pairs of classes, each solved by one rank of a team. Keeps the kernel matrix, and
/// the solutions of the last call to start the next one from; results do not depend on them.
class MarginObjective : public Objective {
 public:
  MarginObjective(MarginCriterion criterion, const Classes& classes, const PairOptions& options);
  Matrix values(const PairSweep& pairs, std::span<const double> thetas, std::span<const double> cs) const override;
  KernelGradient gradient(const PairSweep& pairs, double theta, double c) const override;

 private:
  std::vector<MarginTerm> solve(const Matrix& kernel, double c) const;
  MarginTerm solve_pair(const Matrix& kernel, double c, int first, int second) const;
  /// c = dJ/dK o K, zero on the diagonal, in place of the kernel.
  void weigh(const std::vector<MarginTerm>& terms, Matrix& kernel) const;
  void weigh_class(const std::vector<MarginTerm>& terms, Index first, Matrix& kernel) const;
  /// Position of the pair of classes first < second among all terms.
  std::size_t position(Index first, Index second) const;

  MarginCriterion criterion_;
  const Classes& classes_;
  PairOptions options_;
  mutable std::vector<MarginTerm> last_;
};

}  // namespace dsk::detail
