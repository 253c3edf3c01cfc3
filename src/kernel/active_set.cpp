#include "kernel/duals.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace dsk::detail {
namespace {

std::optional<QuadraticSolution> solve_on(const QuadraticProblem& problem, const std::vector<Index>& support) {
  const Eigen::LLT<Eigen::MatrixXd> factor(problem.q(support, support));
  if (factor.info() != Eigen::Success) return {};
  const Eigen::VectorXd a = problem.a(support), by_p = factor.solve(problem.p(support)), by_a = factor.solve(a);
  const double slope = a.dot(by_a);
  if (!(slope > 0)) return {};
  QuadraticSolution solution{Eigen::VectorXd::Zero(problem.p.size()), (problem.c - a.dot(by_p)) / slope};
  solution.x(support) = by_p + solution.multiplier * by_a;
  if (!solution.x.allFinite()) return {};
  return solution;
}

}  // namespace

std::optional<QuadraticSolution> settle(const QuadraticProblem& problem, std::vector<Index> support) {
  constexpr int most_rounds = 30;
  constexpr double violation = 1e-10;
  for (int round = 0; round < most_rounds && !support.empty(); ++round) {
    const auto solution = solve_on(problem, support);
    if (!solution) return {};
    const auto is_out = [&](Index i) { return !(solution->x[i] > 0); };
    if (std::any_of(support.begin(), support.end(), is_out)) {
      std::erase_if(support, is_out);
      continue;
    }
    const Eigen::VectorXd slack =
        problem.q(Eigen::all, support) * solution->x(support) - problem.p - solution->multiplier * problem.a;
    const double allowed = violation * std::max(1.0, std::abs(solution->multiplier));
    const std::size_t settled = support.size();
    for (Index i = 0; i < slack.size(); ++i)
      if (solution->x[i] == 0 && slack[i] < -allowed) support.push_back(i);
    if (support.size() == settled) return solution;
    std::sort(support.begin(), support.end());
  }
  return {};
}

std::vector<Index> support_of(const Eigen::VectorXd& x) {
  std::vector<Index> support;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] > 0) support.push_back(i);
  return support;
}

}  // namespace dsk::detail
