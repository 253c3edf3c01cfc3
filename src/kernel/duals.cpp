#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <cmath>

#include "kernel/duals.hpp"
#include "kernel/kernel.hpp"

namespace dsk {
namespace {

/// Larger duals are LIBSVM's: it leaves points out on the way, and keeps less than the whole kernel matrix at hand.
constexpr Index largest_box_dual = 1000;
/// LIBSVM's limit.
constexpr Index most_steps = 10000000;
/// Enough to find the support that an exact solution follows from; and enough where none follows.
constexpr double rough = 1e-4, fine = 1e-7;

detail::BoxProblem margin_problem(const Eigen::VectorXd& signs, const MarginBounds& bounds) {
  const Index size = signs.size();
  detail::BoxProblem problem{signs, Eigen::VectorXd::Zero(size), Eigen::VectorXd::Zero(size)};
  for (Index i = 0; i < size; ++i)
    if (signs[i] > 0)
      problem.upper[i] = bounds.positive;
    else
      problem.lower[i] = -bounds.negative;
  return problem;
}

detail::BoxSolution solve_signed(const Matrix& kernel, const Eigen::VectorXd& signs, const MarginBounds& bounds,
                                 double tolerance) {
  const Index size = kernel.rows();
  if (size > largest_box_dual) return detail::libsvm_margin(kernel, signs, bounds, tolerance);
  return detail::BoxDual(kernel).solve(margin_problem(signs, bounds), Eigen::VectorXd::Zero(size), tolerance,
                                       most_steps);
}

/// Throws InvalidInput for a margin problem that is none.
Eigen::VectorXd checked_signs(const Matrix& kernel, std::span<const int> signs, std::span<const MarginBounds> bounds) {
  const Index size = kernel.rows();
  if (kernel.cols() != size || static_cast<Index>(signs.size()) != size)
    throw InvalidInput(fmt::format("{} x {} kernel values do not fit {} signs", size, kernel.cols(), signs.size()));
  Eigen::VectorXd t(size);
  for (Index i = 0; i < size; ++i) t[i] = signs[static_cast<std::size_t>(i)];
  if (!((t.array() == 1).any() && (t.array() == -1).any() && (t.array().square() == 1).all()))
    throw InvalidInput("the signs of a margin problem are +1 and -1, and both must occur");
  for (const MarginBounds& both : bounds)
    for (const double bound : {both.positive, both.negative})
      if (!(bound > 0)) throw InvalidInput(fmt::format("the bound {} of a margin problem must be above 0", bound));
  detail::check_kernel_values(kernel);
  return t;
}

/// Whether no bound holds back any coefficient.
bool is_free(const Eigen::VectorXd& eta, const MarginBounds& bounds) {
  constexpr double below = 1 - 1e-9;
  return eta.maxCoeff() < below * std::min(bounds.positive, bounds.negative);
}

Eigen::VectorXd solve_centre(const Matrix& kernel) {
  const Index size = kernel.rows();
  if (size > largest_box_dual) return detail::libsvm_ball(kernel, rough).b;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(size), start = Eigen::VectorXd::Unit(size, 0);
  const detail::BoxProblem problem{zero, zero, Eigen::VectorXd::Ones(size)};
  return detail::BoxDual(kernel).solve(problem, start, rough * kernel(0, 0), most_steps).b;
}

MarginDual completed(Eigen::VectorXd eta, double offset, const Matrix& kernel, const Eigen::VectorXd& signs) {
  const Eigen::VectorXd b = eta.cwiseProduct(signs);
  const double squared_norm = 2 * eta.sum() - b.dot(kernel * b);
  return {std::move(eta), squared_norm, offset};
}

BallDual completed(Eigen::VectorXd beta, const Matrix& kernel) {
  const double squared_radius = kernel(0, 0) - beta.dot(kernel * beta);
  return {std::move(beta), squared_radius};
}

/// The exact dual without bounds; nothing where it is not reached from the support.
std::optional<MarginDual> exact_margin(const Matrix& kernel, const Eigen::VectorXd& signs, std::vector<Index> support) {
  auto exact = detail::settle({kernel, signs.data(), signs.data(), 0}, std::move(support));
  if (!exact) return {};
  MarginDual dual{exact->b.cwiseProduct(signs), 0, -exact->multiplier};
  dual.squared_norm = 2 * dual.eta.sum() - exact->square;
  return dual;
}

std::optional<BallDual> exact_ball(const Matrix& kernel, std::vector<Index> support) {
  auto exact = detail::settle({kernel, nullptr, nullptr, 1}, std::move(support));
  if (!exact) return {};
  return BallDual{std::move(exact->b), kernel(0, 0) - exact->square};
}

}  // namespace

MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, double bound, const MarginDual* similar) {
  return solve_margin(kernel, signs, MarginBounds{bound, bound}, similar);
}

MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, const MarginBounds& bounds,
                        const MarginDual* similar) {
  const Eigen::VectorXd t = checked_signs(kernel, signs, {&bounds, 1});
  const bool bounded = std::isfinite(bounds.positive) || std::isfinite(bounds.negative);
  if (similar != nullptr && !bounded && similar->eta.size() == kernel.rows())
    if (auto exact = exact_margin(kernel, t, detail::support_of(similar->eta))) return *std::move(exact);

  const detail::BoxSolution found = solve_signed(kernel, t, bounds, bounded ? fine : rough);
  Eigen::VectorXd eta = found.b.cwiseProduct(t).cwiseMax(0);
  if (!bounded)
    if (auto exact = exact_margin(kernel, t, detail::support_of(eta))) return *std::move(exact);
  return completed(std::move(eta), found.multiplier, kernel, t);
}

std::vector<MarginDual> solve_margin_path(const Matrix& kernel, std::span<const int> signs,
                                          std::span<const MarginBounds> bounds) {
  const Eigen::VectorXd t = checked_signs(kernel, signs, bounds);
  std::vector<MarginDual> result;
  if (kernel.rows() > largest_box_dual) {
    for (const MarginBounds& one : bounds) result.push_back(solve_margin(kernel, signs, one));
    return result;
  }
  const detail::BoxDual dual(kernel);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(kernel.rows());
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    if (k > 0 && is_free(result.back().eta, bounds[k - 1])) {
      result.push_back(result.back());
      continue;
    }
    const detail::BoxSolution found = dual.solve(margin_problem(t, bounds[k]), b, fine, most_steps);
    b = found.b;
    Eigen::VectorXd eta = b.cwiseProduct(t).cwiseMax(0);
    const double squared_norm = 2 * eta.sum() - b.dot(kernel * b);
    result.push_back({std::move(eta), squared_norm, found.multiplier});
  }
  return result;
}

MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, const Eigen::VectorXd& bounds) {
  const Eigen::VectorXd t = checked_signs(kernel, signs, {});
  if (bounds.size() != t.size())
    throw InvalidInput(fmt::format("{} bounds do not fit {} signs", bounds.size(), t.size()));
  for (const double bound : bounds)
    if (!(bound > 0 && std::isfinite(bound)))
      throw InvalidInput(fmt::format("the bound {} of a margin problem must be finite and above 0", bound));
  const detail::BoxProblem problem{t, (t.array() < 0).select(-bounds, 0), (t.array() > 0).select(bounds, 0)};
  const detail::BoxSolution found =
      detail::BoxDual(kernel).solve(problem, Eigen::VectorXd::Zero(t.size()), fine, most_steps);
  return completed(found.b.cwiseProduct(t).cwiseMax(0), found.multiplier, kernel, t);
}

BallDual solve_ball(const Matrix& kernel, const BallDual* similar) {
  const Index size = kernel.rows();
  if (size == 0 || kernel.cols() != size)
    throw InvalidInput(fmt::format("a ball needs a square kernel matrix, not {} x {}", size, kernel.cols()));
  detail::check_kernel_values(kernel);
  if (size == 1) return {Eigen::VectorXd::Ones(1), 0};
  if (similar != nullptr && similar->beta.size() == size)
    if (auto exact = exact_ball(kernel, detail::support_of(similar->beta))) return *std::move(exact);
  Eigen::VectorXd beta = solve_centre(kernel);
  if (auto exact = exact_ball(kernel, detail::support_of(beta))) return *std::move(exact);
  return completed(std::move(beta), kernel);
}

}  // namespace dsk
