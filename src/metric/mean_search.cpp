#include "metric/mean.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "machine/lapack.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

using Row = Eigen::RowVectorXd;

/// A symmetric matrix as coordinates of the same norm.
Row coordinates_of(const Matrix& symmetric) {
  Row row(symmetric.rows() * (symmetric.rows() + 1) / 2);
  flatten({symmetric.data(), symmetric.rows(), symmetric.cols()}, row);
  return row;
}

Matrix scaled_step(const Residual& residual, const Matrix& value) {
  Matrix step = residual.factor * value;
  step.diagonal().array() += (residual.trace_factor - residual.factor) * value.diagonal().mean();
  return step;
}

/// Points S with their residuals, the latest last.
class History {
 public:
  void add(Row at, Row residual) {
    if (points_.size() > most_differences) points_.pop_front();
    points_.push_back({std::move(at), std::move(residual)});
  }
  void clear() { points_.clear(); }

  /// The step from the last point.
  Matrix step(const Residual& residual) const {
    const Index dim = residual.value.rows();
    const auto differences = static_cast<Index>(points_.size()) - 1;
    if (differences < 1) return plain_step(residual);
    Eigen::MatrixXd moves(points_.back().at.size(), differences), changes(points_.back().at.size(), differences);
    for (Index k = 0; k < differences; ++k) {
      const auto& before = points_[static_cast<std::size_t>(k)];
      const auto& after = points_[static_cast<std::size_t>(k + 1)];
      moves.col(k) = (after.at - before.at).transpose();
      changes.col(k) = (after.residual - before.residual).transpose();
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(changes);
    solver.setThreshold(1e-13);
    const Eigen::VectorXd back = solver.solve(points_.back().residual.transpose());
    const Row unexplained = points_.back().residual - (changes * back).transpose();
    return scaled_step(residual, unflatten(unexplained, dim)) - unflatten((moves * back).transpose(), dim);
  }

 private:
  static constexpr std::size_t most_differences = 10;
  struct Point {
    Row at;
    Row residual;
  };
  std::deque<Point> points_;
};

double root_mean_square(const Matrix& step) {
  return step.norm() / std::sqrt(static_cast<double>(step.rows()));
}

}  // namespace

Matrix matrix_product(const Matrix& a, const Matrix& b, bool transposed) {
  const Index dim = a.rows();
  Matrix result(dim, dim);
  if (lapack::takes(lapack::crossover().factor, dim)) {
    lapack::multiply(a.data(), b.data(), transposed, result.data(), dim);
    return result;
  }
  // Eigen prepares blocks for its cache, which takes longer than the products of the smallest matrices.
  constexpr Index smallest_in_blocks = 13;
  if (dim < smallest_in_blocks) {
    transposed ? result = a.lazyProduct(b.transpose()) : result = a.lazyProduct(b);
  } else if (transposed) {
    result.noalias() = a * b.transpose();
  } else {
    result.noalias() = a * b;
  }
  return result;
}

namespace {

/// exp(T) = cosh T + sinh T and exp(-T) = cosh T - sinh T, by as many terms of the series in T^2 as a norm of at most
/// 1/4 needs; of larger matrices, halves are taken and the results squared.
Exponential exponential_by_series(const Matrix& symmetric, double norm) {
  constexpr double largest = 0.25, without_eighth_power = 0.03, without_sixth = 6e-3, without_fourth = 2e-4;
  Matrix t = symmetric / 2;
  double size = norm / 2;
  int halvings = 0;
  for (; size > largest; size /= 2, ++halvings) t /= 2;
  const Matrix square = matrix_product(t, t);
  Matrix even = square / 2, odd = square / 6;
  if (size > without_fourth) {
    const Matrix fourth = matrix_product(square, square);
    even += fourth / 24;
    odd += fourth / 120;
    if (size > without_sixth) {
      const Matrix sixth = matrix_product(fourth, square);
      even += sixth / 720;
      odd += sixth / 5040;
      if (size > without_eighth_power) {
        even += matrix_product(sixth, square / 40320 + fourth / 3628800);
        odd += matrix_product(sixth, square / 362880 + fourth / 39916800);
      }
    }
  }
  even.diagonal().array() += 1;
  odd.diagonal().array() += 1;
  const Matrix sinh = matrix_product(t, odd);
  Exponential result{{}, even + sinh, even - sinh, norm};
  for (; halvings > 0; --halvings) {
    result.root = matrix_product(result.root, result.root);
    result.inverse_root = matrix_product(result.inverse_root, result.inverse_root);
  }
  result.whole = matrix_product(result.root, result.root);
  return result;
}

}  // namespace

Exponential exponential(const Matrix& symmetric) {
  // Beyond, the series would lose digits of the smallest eigenvalues.
  constexpr double largest_for_series = 1;
  const double norm = symmetric.norm();
  if (norm <= largest_for_series) return exponential_by_series(symmetric, norm);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
  const Matrix vectors = eigen.eigenvectors();
  const auto recomposed = [&](double factor) {
    const Eigen::RowVectorXd values = (factor * eigen.eigenvalues().transpose()).array().exp();
    return matrix_product(Matrix(vectors.array().rowwise() * values.array()), vectors, true);
  };
  return {recomposed(1), recomposed(0.5), recomposed(-0.5), norm};
}

EigenBatch eigen_of_symmetric(MatrixStack stack) {
  // A multiple of the identity makes them positive definite, and well-conditioned.
  std::vector<double> shifts;
  for (Index i = 0; i < stack.count; ++i) {
    shifts.push_back(1 + 2 * stack[i].cwiseAbs().rowwise().sum().maxCoeff());
    Eigen::Map<Matrix>(stack.values.data() + i * stack.dim * stack.dim, stack.dim, stack.dim).diagonal().array() +=
        shifts.back();
  }
  EigenBatch result = eigen_decompose(trust(std::move(stack)), 1);
  for (Index i = 0; i < result.values.rows(); ++i) result.values.row(i).array() -= shifts[static_cast<std::size_t>(i)];
  return result;
}

Matrix plain_step(const Residual& residual) {
  return scaled_step(residual, residual.value);
}

SearchResult search(Index dim, const std::function<Residual(const Exponential&)>& residual,
                    const SearchLimits& limits) {
  constexpr double longest_step = 2, smallest_shrink = 0x1p-10, largest_rounding = 1e-3, fast = 0.1, lucky = 0.01,
                   caution = 3;
  SearchResult result;
  Matrix log = Matrix::Zero(dim, dim), best_log = log;
  Residual best;
  double best_size = std::numeric_limits<double>::infinity(), shrink = 1, step_before = 0, by_one_before = 0;
  History history;
  for (;;) {
    const Exponential candidate = exponential(log);
    const Residual found = residual(candidate);
    const double size = found.value.norm();
    if (result.iterations == 0 && !std::isfinite(size))
      throw NumericalFailure("the matrices are too far apart for a mean in double precision");
    const Matrix plain = plain_step(found);
    result.step = root_mean_square(plain);
    ++result.iterations;
    result.converged = result.step <= std::max(limits.tolerance, found.noise);
    result.given_up = result.iterations == limits.trial && result.step > limits.trial_step;
    if (result.converged || result.given_up || result.iterations >= limits.iterations) {
      result.factor = candidate.root * exponential(plain).root;
      return result;
    }
    Matrix step;
    if (!(size <= 2 * best_size)) {
      if (shrink < smallest_shrink) {
        // Rounding hides the way down from the best candidate.
        result.step = root_mean_square(plain_step(best));
        result.converged = result.step < largest_rounding;
        result.factor = exponential(best_log).root;
        return result;
      }
      history.clear();
      history.add(coordinates_of(best_log), coordinates_of(best.value));
      shrink /= 2;
      log = best_log;
      step = shrink * plain_step(best);
    } else {
      history.add(coordinates_of(log), coordinates_of(found.value));
      step = history.step(found);
      if (!step.allFinite()) step = plain;
      // The next step is not computed if it will be too short to matter, going by how steps shrank, but for luck.
      const double by_last = result.step / step_before, shrinks = std::max({by_last, by_one_before, lucky});
      const double next = caution * shrinks * result.step;
      if (step_before > 0) by_one_before = by_last;
      if (shrinks < fast && next <= std::max(limits.tolerance, found.noise)) {
        result.factor = exponential(log + step).root;
        result.step = next;
        result.converged = true;
        return result;
      }
      if (size < best_size) {
        best_size = size;
        best_log = log;
        best = found;
        shrink = 1;
      }
    }
    step_before = result.step;
    log += step * std::min(1.0, longest_step / root_mean_square(step));
  }
}

}  // namespace dsk::detail
