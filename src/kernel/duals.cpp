#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <libsvm/svm.h>
#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/kernel.hpp"
#include "machine/interrupt.hpp"

namespace dsk {
namespace {

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

/// The exact solution, reached from a guess of its support: solves on the support, drops what gets negative, takes in
/// what violates its condition. Nothing if that does not settle, as with a Q that is almost singular.
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

/// Positions of the positive entries.
std::vector<Index> support_of(const Eigen::VectorXd& x) {
  std::vector<Index> support;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] > 0) support.push_back(i);
  return support;
}

/// A kernel matrix as LIBSVM takes it: rows of (column number, value), the row's own number first.
class KernelRows {
 public:
  KernelRows(const Matrix& kernel, double unit)
      : nodes_(static_cast<std::size_t>(kernel.rows() * (kernel.cols() + 2))) {
    svm_node* node = nodes_.data();
    for (Index i = 0; i < kernel.rows(); ++i) {
      rows_.push_back(node);
      *node++ = {0, static_cast<double>(i + 1)};
      for (Index j = 0; j < kernel.cols(); ++j) *node++ = {static_cast<int>(j + 1), kernel(i, j) / unit};
      *node++ = {-1, 0};
    }
  }
  svm_node** data() { return rows_.data(); }

 private:
  std::vector<svm_node> nodes_;
  std::vector<svm_node*> rows_;
};

struct Trained {
  Eigen::VectorXd coefficients;
  double offset = 0;
};

/// What the kernel is divided by for LIBSVM, which keeps it in single precision.
double unit_of(const Matrix& kernel) {
  return kernel(0, 0) > 0 ? kernel(0, 0) : 1;
}

/// How often LIBSVM has told this thread of its steps since it began and an interrupt was asked for.
thread_local int told_since = 0;

/// LIBSVM tells of every thousand steps: the one place where it can be left. It loses its memory by that, so that it
/// may come to its end if it does so within a second or so.
void leave_if_asked(const char*) {
  constexpr int patience = 100;
  if (detail::interrupt_asked.load(std::memory_order_relaxed) && ++told_since > patience) throw Interrupted();
}

Trained train(const Matrix& kernel, std::vector<double> targets, svm_parameter parameter) {
  const double unit = unit_of(kernel);
  KernelRows rows(kernel, unit);
  parameter.C *= unit;
  const svm_problem problem{static_cast<int>(kernel.rows()), targets.data(), rows.data()};
  if (const char* fault = svm_check_parameter(&problem, &parameter))
    throw InvalidInput(fmt::format("LIBSVM: {}", fault));
  struct Free {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
  };
  told_since = 0;
  const std::unique_ptr<svm_model, Free> model(svm_train(&problem, &parameter));
  detail::check_interrupt();
  Trained result{Eigen::VectorXd::Zero(kernel.rows()), -model->rho[0]};
  for (int s = 0; s < model->l; ++s) result.coefficients[model->sv_indices[s] - 1] = model->sv_coef[0][s];
  if (parameter.svm_type != C_SVC) return result;
  const double sign = model->label[0] < 0 ? -1 : 1;
  result.coefficients *= sign / unit;
  result.offset *= sign;
  return result;
}

svm_parameter parameters(int type, Index size) {
  static const bool watched = (svm_set_print_string_function(leave_if_asked), true);
  static_cast<void>(watched);
  svm_parameter parameter{};
  parameter.svm_type = type;
  parameter.kernel_type = PRECOMPUTED;
  parameter.cache_size = std::max(1.0, static_cast<double>(size * size) * sizeof(float) / (1 << 20) + 1);
  parameter.eps = 1e-4;
  parameter.shrinking = size > 1000 ? 1 : 0;
  return parameter;
}

void check_finite(const Matrix& kernel) {
  for (Index i = 0; i < kernel.rows(); ++i)
    for (Index j = 0; j < kernel.cols(); ++j)
      if (!std::isfinite(kernel(i, j)))
        throw InvalidInput(fmt::format("kernel value ({}, {}) is {}, not a finite number", i, j, kernel(i, j)));
}

Matrix signed_kernel(const Matrix& kernel, const Eigen::VectorXd& signs) {
  return signs.asDiagonal() * kernel * signs.asDiagonal();
}

MarginDual completed(Eigen::VectorXd eta, double offset, const Matrix& signed_kernel) {
  const double squared_norm = 2 * eta.sum() - eta.dot(signed_kernel * eta);
  return {std::move(eta), squared_norm, offset};
}

BallDual completed(Eigen::VectorXd beta, const Matrix& kernel) {
  const double squared_radius = kernel(0, 0) - beta.dot(kernel * beta);
  return {std::move(beta), squared_radius};
}

}  // namespace

MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, double bound, const MarginDual* similar) {
  return solve_margin(kernel, signs, MarginBounds{bound, bound}, similar);
}

MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, const MarginBounds& bounds,
                        const MarginDual* similar) {
  const Index size = kernel.rows();
  if (kernel.cols() != size || static_cast<Index>(signs.size()) != size)
    throw InvalidInput(fmt::format("{} x {} kernel values do not fit {} signs", size, kernel.cols(), signs.size()));
  Eigen::VectorXd t(size);
  for (Index i = 0; i < size; ++i) t[i] = signs[static_cast<std::size_t>(i)];
  if (!((t.array() == 1).any() && (t.array() == -1).any() && (t.array().square() == 1).all()))
    throw InvalidInput("the signs of a margin problem are +1 and -1, and both must occur");
  for (const double bound : {bounds.positive, bounds.negative})
    if (!(bound > 0)) throw InvalidInput(fmt::format("the bound {} of a margin problem must be above 0", bound));
  check_finite(kernel);
  const Matrix q = signed_kernel(kernel, t);
  const QuadraticProblem problem{q, Eigen::VectorXd::Ones(size), t, 0};
  const bool bounded = std::isfinite(bounds.positive) || std::isfinite(bounds.negative);
  if (similar != nullptr && !bounded && similar->eta.size() == size)
    if (auto exact = settle(problem, support_of(similar->eta)))
      return completed(std::move(exact->x), -exact->multiplier, q);

  svm_parameter parameter = parameters(C_SVC, size);
  const double no_bound = 1e12 / unit_of(kernel);
  const auto finite = [=](double bound) { return std::isfinite(bound) ? bound : no_bound; };
  parameter.C = finite(bounds.positive);
  // The weight of the negative ones, the other being 1: equal bounds then are the same problem as without weights.
  int weighted_sign = -1;
  double weight = finite(bounds.negative) / parameter.C;
  if (bounds.positive != bounds.negative) {
    parameter.nr_weight = 1;
    parameter.weight_label = &weighted_sign;
    parameter.weight = &weight;
  }
  if (bounded) parameter.eps = 1e-7;
  Trained trained = train(kernel, {t.begin(), t.end()}, parameter);
  Eigen::VectorXd eta = trained.coefficients.cwiseProduct(t).cwiseMax(0);
  if (!bounded)
    if (auto exact = settle(problem, support_of(eta))) return completed(std::move(exact->x), -exact->multiplier, q);
  return completed(std::move(eta), trained.offset, q);
}

BallDual solve_ball(const Matrix& kernel, const BallDual* similar) {
  const Index size = kernel.rows();
  if (size == 0 || kernel.cols() != size)
    throw InvalidInput(fmt::format("a ball needs a square kernel matrix, not {} x {}", size, kernel.cols()));
  check_finite(kernel);
  if (size == 1) return {Eigen::VectorXd::Ones(1), 0};
  const QuadraticProblem problem{kernel, Eigen::VectorXd::Zero(size), Eigen::VectorXd::Ones(size), 1};
  if (similar != nullptr && similar->beta.size() == size)
    if (auto exact = settle(problem, support_of(similar->beta))) return completed(std::move(exact->x), kernel);
  svm_parameter parameter = parameters(ONE_CLASS, size);
  parameter.nu = 1 / static_cast<double>(size);
  Eigen::VectorXd beta = train(kernel, std::vector<double>(static_cast<std::size_t>(size), 1), parameter).coefficients;
  if (auto exact = settle(problem, support_of(beta))) return completed(std::move(exact->x), kernel);
  return completed(beta / beta.sum(), kernel);
}

}  // namespace dsk
