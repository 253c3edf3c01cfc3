#include <dsk/spd/eigen.hpp>

#include <Eigen/Eigenvalues>

#include <fmt/format.h>

#include <limits>

#include "spd/check.hpp"
#include "spd/jacobi.hpp"
#include "spd/parallel.hpp"

namespace dsk {

EigenBatch eigen_decompose(const SpdBatch& batch, int threads) {
  const Index dim = batch.dim();
  EigenBatch result{Matrix(batch.size(), dim), {batch.size(), dim, std::vector<double>(batch.values().size())}};
  const double smallest_trusted = static_cast<double>(dim) * std::numeric_limits<double>::epsilon();
  detail::for_ranges(batch.size(), threads, detail::cubic_cost(dim, 10), [&](Index first, Index last) {
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dim);
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
    for (Index i = first; i < last; ++i) {
      solver.compute(batch[i]);
      values = solver.eigenvalues().reverse();
      vectors = solver.eigenvectors().rowwise().reverse();
      // What is lost against the largest eigenvalue can even come out negative.
      if (solver.info() != Eigen::Success || !(values(dim - 1) > smallest_trusted * values(0)))
        detail::positive_eigen(batch[i], values, vectors);
      result.values.row(i) = values.transpose();
      Eigen::Map<Matrix>(result.vectors.values.data() + i * dim * dim, dim, dim) = vectors;
    }
  });
  return result;
}

MatrixStack recompose(const Matrix& values, const MatrixStack& vectors, int threads) {
  detail::check_shape(vectors.values.size(), vectors.count, vectors.dim);
  const Index dim = vectors.dim;
  if (values.rows() != vectors.count || values.cols() != dim)
    throw InvalidInput(fmt::format("{} x {} eigenvalues do not fit {} matrices of {} eigenvectors", values.rows(),
                                   values.cols(), vectors.count, dim));
  MatrixStack result{vectors.count, dim, std::vector<double>(vectors.values.size())};
  detail::for_ranges(vectors.count, threads, detail::cubic_cost(dim, 1), [&](Index first, Index last) {
    Matrix weighted(dim, dim);
    for (Index i = first; i < last; ++i) {
      Eigen::Map<Matrix> x(result.values.data() + i * dim * dim, dim, dim);
      weighted = vectors[i] * values.row(i).asDiagonal();
      x.noalias() = weighted * vectors[i].transpose();
      x.triangularView<Eigen::StrictlyUpper>() = x.transpose();
    }
  });
  return result;
}

}  // namespace dsk
