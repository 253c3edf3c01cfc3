#include "metric/symmetric.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>

#include "spd/spd.hpp"

namespace dsk::detail {

Exponential exponential(const Matrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
  const auto& vectors = eigen.eigenvectors();
  const auto recomposed = [&](double factor) -> Matrix {
    const Eigen::VectorXd values = (factor * eigen.eigenvalues()).array().exp();
    return vectors * values.asDiagonal() * vectors.transpose();
  };
  return {recomposed(1), recomposed(0.5), recomposed(-0.5)};
}

EigenBatch eigen_of_congruences(const SpdBatch& x, Index first, Index last, const Matrix& w) {
  const Index count = last - first, dim = x.dim();
  // One product for all matrices at a time: X W' from the stacked X, then X' W', transposed, from the stacked results.
  const MatrixView stacked(x[first].data(), count * dim, dim);
  Matrix product = stacked * w.transpose();
  for (Index i = 0; i < count; ++i) product.middleRows(i * dim, dim).transposeInPlace();
  MatrixStack congruent{count, dim, std::vector<double>(static_cast<std::size_t>(count * dim * dim))};
  Eigen::Map<Matrix>(congruent.values.data(), count * dim, dim).noalias() = product * w.transpose();
  return eigen_decompose(trust(std::move(congruent)), 1);
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

}  // namespace dsk::detail
