#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <random>

#include "cluster/graph.hpp"
#include "cluster/space.hpp"
#include "machine/interrupt.hpp"

namespace dsk::detail {
namespace {

constexpr Index dense_up_to = 400;
constexpr Index extra_columns = 4;  ///< beyond those wanted, which makes the last of these converge
constexpr Index most_blocks = 12;
constexpr int most_restarts = 100;

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

TopEigenvectors largest_of(const Eigen::MatrixXd& symmetric, Index count) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  TopEigenvectors top{{}, solver.eigenvectors().rowwise().reverse().leftCols(count)};
  for (Index k = 0; k < count; ++k) top.values.push_back(solver.eigenvalues()[symmetric.rows() - 1 - k]);
  return top;
}

/// Signs that do not depend on the solver: the entry of largest size is positive.
void fix_signs(Eigen::MatrixXd& vectors) {
  for (Index k = 0; k < vectors.cols(); ++k) {
    Index largest = 0;
    vectors.col(k).cwiseAbs().maxCoeff(&largest);
    if (vectors(largest, k) < 0) vectors.col(k) *= -1;
  }
}

/// An orthonormal basis of x, A x, A^2 x, ... and A times it.
struct Krylov {
  Eigen::MatrixXd basis, images;
};

Krylov krylov(const SymmetricOperator& multiply, const Eigen::MatrixXd& x, Index blocks) {
  const Index width = x.cols();
  Krylov space{Eigen::MatrixXd(x.rows(), width * blocks), Eigen::MatrixXd(x.rows(), width * blocks)};
  Eigen::MatrixXd block = x;
  for (Index b = 0; b < blocks; ++b) {
    check_interrupt();
    space.basis.middleCols(b * width, width) = block;
    const Eigen::MatrixXd image = multiply(block);
    space.images.middleCols(b * width, width) = image;
    if (b + 1 == blocks) break;
    block = image;
    // Twice, as the first time leaves little more than rounding where the basis is complete.
    for (int pass = 0; pass < 2; ++pass) {
      const auto known = space.basis.leftCols((b + 1) * width);
      block -= known * (known.transpose() * block).eval();
      block = orthonormal(block);
    }
  }
  return space;
}

}  // namespace

TopEigenvectors top_eigenvectors(Index size, const SymmetricOperator& multiply, Index count, double tolerance,
                                 std::uint64_t seed) {
  const Index width = count + extra_columns;
  TopEigenvectors top;
  if (size <= std::max(dense_up_to, 3 * width)) {
    top = largest_of(multiply(Eigen::MatrixXd::Identity(size, size)), std::min(count, size));
  } else {
    std::mt19937_64 random(seed);
    Eigen::MatrixXd x(size, width);
    for (double& value : x.reshaped()) value = uniform(random) - 0.5;
    x = orthonormal(x);
    const Index blocks = std::clamp<Index>(size / width / 2, 2, most_blocks);
    top.converged = false;
    for (int restart = 0; restart < most_restarts && !top.converged; ++restart) {
      const Krylov space = krylov(multiply, x, blocks);
      Eigen::MatrixXd projected = space.basis.transpose() * space.images;
      projected = (projected + projected.transpose().eval()) / 2;
      const TopEigenvectors ritz = largest_of(projected, width);
      x = space.basis * ritz.vectors;
      Eigen::MatrixXd residual = space.images * ritz.vectors.leftCols(count);
      for (Index k = 0; k < count; ++k) residual.col(k) -= ritz.values[static_cast<std::size_t>(k)] * x.col(k);
      top.converged = residual.colwise().norm().maxCoeff() <= tolerance;
      top.values.assign(ritz.values.begin(), ritz.values.begin() + count);
    }
    top.vectors = x.leftCols(count);
  }
  fix_signs(top.vectors);
  return top;
}

}  // namespace dsk::detail
