#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// Rotates columns p and q so that they become orthogonal; false if they already are.
bool rotate(Eigen::MatrixXd& factor, Index p, Index q) {
  const double pp = factor.col(p).squaredNorm(), qq = factor.col(q).squaredNorm();
  const double pq = factor.col(p).dot(factor.col(q));
  if (std::abs(pq) <= std::numeric_limits<double>::epsilon() * std::sqrt(pp) * std::sqrt(qq)) return false;
  const double zeta = (qq - pp) / (2 * pq);
  const double tangent = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
  for (Index r = 0; r < factor.rows(); ++r) {
    const double left = factor(r, p), right = factor(r, q);
    factor(r, p) = cosine * left - sine * right;
    factor(r, q) = sine * left + cosine * right;
  }
  return true;
}

}  // namespace

void positive_eigen(const MatrixView& x, Eigen::VectorXd& values, Eigen::MatrixXd& vectors) {
  const Index dim = x.rows();
  const double largest = x.diagonal().maxCoeff();
  Matrix lower;
  cholesky_factor(x, lower);
  Eigen::MatrixXd factor = lower / std::sqrt(largest);

  constexpr int most_sweeps = 50;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < most_sweeps; ++sweep) {
    rotated = false;
    for (Index p = 0; p < dim; ++p)
      for (Index q = p + 1; q < dim; ++q) rotated |= rotate(factor, p, q);
  }

  const Eigen::VectorXd lengths = factor.colwise().norm();
  std::vector<Index> order(static_cast<std::size_t>(dim));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return lengths(a) > lengths(b); });
  values.resize(dim);
  vectors.resize(dim, dim);
  for (Index k = 0; k < dim; ++k) {
    const Index column = order[static_cast<std::size_t>(k)];
    values(k) = std::max(lengths(column) * lengths(column) * largest, std::numeric_limits<double>::denorm_min());
    vectors.col(k) = factor.col(column) / lengths(column);
  }
}

}  // namespace dsk::detail
