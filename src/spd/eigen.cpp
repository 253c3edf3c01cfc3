#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "machine/aligned.hpp"
#include "machine/lapack.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// Rotates columns p and q so that they become orthogonal. False if they already are.
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

/// detail::for_ranges over groups of eigen_group matrices, so that no vector lane stays empty.
template <class Body>
void for_groups(Index count, int threads, double nanoseconds_each, const Body& body) {
  constexpr Index group = detail::eigen_group;
  detail::for_ranges((count + group - 1) / group, threads, static_cast<double>(group) * nanoseconds_each,
                     [&](Index first, Index last) { body(first * group, std::min(last * group, count)); });
}

/// Whether the smallest of `dim` eigenvalues, which descend, is accurate. Errors are relative to the largest one, so
/// that it can even be negative.
bool are_accurate(const double* values, Index dim) {
  return values[dim - 1] > static_cast<double>(dim) * std::numeric_limits<double>::epsilon() * values[0];
}

/// Decomposes a range of the batch into the result.
class Decomposer {
 public:
  Decomposer(const SpdBatch& batch, EigenBatch& result) : batch_(batch), result_(result), dim_(batch.dim()) {}

  void in_lanes(Index first, Index last) {
    detail::AlignedArray<double> scratch(detail::eigen_scratch(dim_));
    for (Index i = first; i < last; i += detail::eigen_group) {
      const Index count = std::min(detail::eigen_group, last - i);
      const unsigned failed =
          detail::decompose_group(batch_[i].data(), count, dim_, scratch.data(), &result_.values(i, 0), vectors_of(i));
      for (Index lane = 0; lane < count; ++lane)
        if ((failed >> lane & 1U) != 0 || !trusted(i + lane)) by_jacobi(i + lane);
    }
  }

  void by_lapack(Index first, Index last) {
    Matrix rows(dim_, dim_);
    Eigen::VectorXd values(dim_);
    for (Index i = first; i < last; ++i) {
      // Near 1, so that no product leaves the range of double; the powers of two are exact.
      const int exponent = std::clamp(std::ilogb(batch_[i].diagonal().maxCoeff()), -1000, 1000);
      rows = batch_[i] * std::ldexp(1.0, -exponent);
      const bool converged = detail::lapack::decompose(rows.data(), dim_, values.data());
      result_.values.row(i) = values.reverse().transpose() * std::ldexp(1.0, exponent);
      Eigen::Map<Matrix>(vectors_of(i), dim_, dim_) = rows.colwise().reverse().transpose();
      if (!converged || !trusted(i)) by_jacobi(i);
    }
  }

  void alone(Index first, Index last) {
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dim_);
    for (Index i = first; i < last; ++i) {
      solver.compute(batch_[i]);
      result_.values.row(i) = solver.eigenvalues().reverse().transpose();
      Eigen::Map<Matrix>(vectors_of(i), dim_, dim_) = solver.eigenvectors().rowwise().reverse();
      if (solver.info() != Eigen::Success || !trusted(i)) by_jacobi(i);
    }
  }

 private:
  double* vectors_of(Index i) { return result_.vectors.values.data() + i * dim_ * dim_; }

  bool trusted(Index i) const { return are_accurate(&result_.values(i, 0), dim_); }

  void by_jacobi(Index i) {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
    detail::positive_eigen(batch_[i], values, vectors);
    result_.values.row(i) = values.transpose();
    Eigen::Map<Matrix>(vectors_of(i), dim_, dim_) = vectors;
  }

  const SpdBatch& batch_;
  EigenBatch& result_;
  Index dim_;
};

}  // namespace

void detail::positive_eigen(const MatrixView& x, Eigen::VectorXd& values, Eigen::MatrixXd& vectors) {
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

bool detail::decompose_one(const MatrixView& x, double* scratch, double* values, double* vectors) {
  return x.rows() <= largest_in_lanes && decompose_group(x.data(), 1, x.rows(), scratch, values, vectors) == 0 &&
         are_accurate(values, x.rows());
}

EigenBatch eigen_decompose(const SpdBatch& batch, int threads) {
  const Index dim = batch.dim();
  EigenBatch result{Matrix(batch.size(), dim), {batch.size(), dim, std::vector<double>(batch.values().size())}};
  if (dim <= detail::largest_in_lanes) {
    for_groups(batch.size(), threads, detail::cubic_cost(dim, 0.6),
               [&](Index first, Index last) { Decomposer(batch, result).in_lanes(first, last); });
  } else if (detail::lapack::takes(detail::lapack::crossover().function, dim)) {
    detail::for_ranges(batch.size(), threads, detail::cubic_cost(dim, 0.3),
                       [&](Index first, Index last) { Decomposer(batch, result).by_lapack(first, last); });
  } else {
    detail::for_ranges(batch.size(), threads, detail::cubic_cost(dim, 1),
                       [&](Index first, Index last) { Decomposer(batch, result).alone(first, last); });
  }
  return result;
}

MatrixStack recompose(const Matrix& values, const MatrixStack& vectors, int threads) {
  detail::check_shape(vectors.values.size(), vectors.count, vectors.dim);
  const Index dim = vectors.dim;
  if (values.rows() != vectors.count || values.cols() != dim)
    throw InvalidInput(fmt::format("eigenvalues have shape ({}, {}), but there are {} matrices of size {}",
                                   values.rows(), values.cols(), vectors.count, dim));
  MatrixStack result{vectors.count, dim, std::vector<double>(vectors.values.size())};
  if (dim > detail::largest_in_lanes && detail::lapack::takes(detail::lapack::crossover().function, dim)) {
    detail::for_ranges(vectors.count, threads, detail::cubic_cost(dim, 0.05), [&](Index first, Index last) {
      Matrix rows;
      for (Index i = first; i < last; ++i) {
        double* const to = result.values.data() + i * dim * dim;
        rows = vectors[i].transpose();
        detail::lapack::recompose(rows.data(), &values(i, 0), to, dim);
        detail::lapack::mirror(to, dim);
      }
    });
    return result;
  }
  for_groups(vectors.count, threads, detail::cubic_cost(dim, 0.1), [&](Index first, Index last) {
    detail::AlignedArray<double> scratch(detail::eigen_scratch(dim));
    for (Index i = first; i < last; i += detail::eigen_group)
      detail::recompose_group(&values(i, 0), vectors[i].data(), std::min(detail::eigen_group, last - i), dim,
                              scratch.data(), result.values.data() + i * dim * dim);
  });
  return result;
}

}  // namespace dsk
