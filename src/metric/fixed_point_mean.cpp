#include <dsk/mean.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <limits>

#include "engine/engine.hpp"
#include "metric/mean.hpp"

namespace dsk {
namespace {

Matrix symmetric_part(const Matrix& matrix) {
  return (matrix + matrix.transpose()) / 2;
}

/// M^1/2 and M^-1/2 of one matrix, which must be positive definite.
struct Roots {
  Matrix root;
  Matrix inverse;
};
Roots roots_of(const Matrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix);
  if (!(eigen.eigenvalues().minCoeff() > 0))
    throw NumericalFailure("the matrices are too far apart for a mean in double precision");
  return {eigen.operatorSqrt(), eigen.operatorInverseSqrt()};
}

Mean airm_fixed_point(const detail::WeightedBatch& batch, Matrix start, const FixedPointOptions& options) {
  Mean result{std::move(start), Mean::Stop::iteration_limit};
  double step = 1, shortest = std::numeric_limits<double>::max();
  while (result.iterations < options.max_iterations && result.stop != Mean::Stop::converged) {
    ++result.iterations;
    const Roots roots = roots_of(result.matrix);
    const Matrix log = detail::log_residual(batch, roots.root, roots.inverse, options.threads).value;
    const double size = log.norm(), length = step * size;
    // A shorter step would only add rounding, over hundreds of iterations more than is left to gain.
    if (length > std::numeric_limits<double>::epsilon())
      result.matrix = symmetric_part(roots.root * detail::exponential(step * log).whole * roots.root);
    if (length < shortest) {
      step *= 0.95;
      shortest = length;
    } else {
      step *= 0.5;
    }
    result.step = size;
    if (size <= options.tolerance || step <= options.tolerance) result.stop = Mean::Stop::converged;
  }
  return result;
}

Mean stein_fixed_point(const detail::WeightedBatch& batch, Matrix start, const FixedPointOptions& options) {
  Mean result{std::move(start), Mean::Stop::iteration_limit};
  engine::InverseSum sums(batch.x, batch.weights, options.threads);
  const Index dim = batch.x.dim();
  while (result.iterations < options.max_iterations && result.stop != Mean::Stop::converged) {
    ++result.iterations;
    const Matrix next = symmetric_part(sums.at(result.matrix).inverses.llt().solve(Matrix::Identity(dim, dim)));
    result.step = (next - result.matrix).norm();
    if (result.step <= options.tolerance) result.stop = Mean::Stop::converged;
    result.matrix = next;
  }
  return result;
}

}  // namespace

Mean fixed_point_mean(const SpdBatch& x, const FixedPointOptions& options) {
  if (options.metric != Metric::airm && options.metric != Metric::stein)
    throw InvalidInput(fmt::format("the mean by the metric {} needs no iterations", name(options.metric)));
  if (options.max_iterations < 1)
    throw InvalidInput(fmt::format("max_iterations is {}, but must be at least 1", options.max_iterations));
  const detail::WeightedBatch batch = detail::weighted_batch(x, options.weights);
  Matrix start;
  if (options.start) {
    if (options.start->rows() != x.dim() || options.start->cols() != x.dim())
      throw InvalidInput(fmt::format("the start has shape ({}, {}), but the matrices are {} x {}",
                                     options.start->rows(), options.start->cols(), x.dim(), x.dim()));
    start = SpdBatch({options.start->data(), static_cast<std::size_t>(options.start->size())}, 1, x.dim(), 1)[0];
  } else {
    start = detail::arithmetic_mean(batch, options.threads);
  }
  Mean result = options.metric == Metric::airm ? airm_fixed_point(batch, std::move(start), options)
                                               : stein_fixed_point(batch, std::move(start), options);
  if (!result.matrix.allFinite())
    throw NumericalFailure(fmt::format("the mean by the metric {} leaves the range of double", name(options.metric)));
  return result;
}

}  // namespace dsk
