#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/parallel.hpp"
#include "metric/mean.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

struct Roots {
  Matrix root;
  Matrix inverse_root;
  double condition = 1;
};

Roots roots_of(const Matrix& matrix) {
  const Index dim = matrix.rows();
  const EigenBatch eigen = eigen_decompose(trust({1, dim, {matrix.data(), matrix.data() + matrix.size()}}), 1);
  const Matrix root = eigen.values.cwiseSqrt();
  return {recompose(root, eigen.vectors, 1)[0], recompose(root.cwiseInverse(), eigen.vectors, 1)[0],
          eigen.values(0, 0) / eigen.values(0, dim - 1)};
}

/// sum_i w_i (R X_i R)^1/2
Matrix mean_root(const WeightedBatch& batch, const Matrix& r, int threads) {
  const Index dim = batch.x.dim(), entries = dim * dim;
  Matrix rows(batch.x.size(), entries);
  const double cost = static_cast<double>(eigen_group) * cubic_cost(dim, 0.3);
  for_ranges((batch.x.size() + eigen_group - 1) / eigen_group, threads, cost, [&](Index first, Index last) {
    GroupFunction root(SpectralFunction::root, dim, &r);
    double conditions[eigen_group];
    for (Index i = first * eigen_group; i < std::min(last * eigen_group, batch.x.size()); i += eigen_group)
      root(batch.x[i].data(), std::min(eigen_group, batch.x.size() - i), &rows(i, 0), conditions);
  });
  const Eigen::RowVectorXd mean = weighted_row(rows, batch.weights, threads);
  return MatrixView(mean.data(), dim, dim);
}

}  // namespace

Mean wasserstein_mean(const WeightedBatch& batch, const MeanOptions& options) {
  // M becomes M^-1/2 S^2 M^-1/2 with S = sum_i w_i (M^1/2 X_i M^1/2)^1/2, as in Alvarez-Esteban et al. (2016).
  Mean result{arithmetic_mean(batch, options.threads), Mean::Stop::iteration_limit};
  const auto dim = static_cast<double>(batch.x.dim());
  // M is kept in units that make it about 1, and only the X_i have theirs: products of the two could overflow.
  const int half_exponent = std::ilogb(result.matrix.diagonal().maxCoeff()) / 2;
  const auto times_power_of_two = [](const Matrix& matrix, int exponent) -> Matrix {
    return matrix.unaryExpr([exponent](double value) { return std::scalbn(value, exponent); });
  };
  result.matrix = times_power_of_two(result.matrix, -2 * half_exponent);
  while (result.iterations < options.max_iterations) {
    const Roots roots = roots_of(result.matrix);
    const Matrix sum = times_power_of_two(mean_root(batch, roots.root, options.threads), -half_exponent);
    const Matrix change = roots.inverse_root * sum * roots.inverse_root;
    result.step = (change - Matrix::Identity(change.rows(), change.cols())).norm() / std::sqrt(dim);
    result.matrix = change * result.matrix * change;
    result.matrix = ((result.matrix + result.matrix.transpose()) / 2).eval();
    ++result.iterations;
    const double noise = 4 * std::numeric_limits<double>::epsilon() * dim * roots.condition;
    if (result.step > std::max(options.tolerance, noise)) continue;
    result.stop = Mean::Stop::converged;
    break;
  }
  result.matrix = times_power_of_two(result.matrix, 2 * half_exponent);
  return result;
}

}  // namespace dsk::detail
