#include <Eigen/Eigenvalues>

#include <utility>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "machine/lapack.hpp"

namespace dsk {
namespace {

/// Eigenvalues in ascending order, with the eigenvectors as rows.
struct Spectrum {
  Eigen::VectorXd values;
  Matrix vectors;
};

Spectrum spectrum_of(const Matrix& kernel) {
  namespace lapack = detail::lapack;
  const Index size = kernel.rows();
  Spectrum result{Eigen::VectorXd(size), kernel};
  if (lapack::takes(lapack::crossover().function, size) &&
      lapack::decompose(result.vectors.data(), size, result.values.data()))
    return result;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(kernel);
  return {eigen.eigenvalues(), eigen.eigenvectors().transpose()};
}

/// sum_k weights_k v_k v_k' over the rows v_k.
Matrix recomposed(const Matrix& vectors, const Eigen::VectorXd& weights) {
  namespace lapack = detail::lapack;
  if (!lapack::takes(lapack::crossover().function, vectors.rows()))
    return vectors.transpose() * weights.asDiagonal() * vectors;
  Matrix result(vectors.rows(), vectors.rows());
  lapack::recompose(vectors.data(), weights.data(), result.data(), vectors.rows());
  lapack::mirror(result.data(), vectors.rows());
  return result;
}

}  // namespace

detail::ClippedKernel detail::clip(const Matrix& kernel) {
  const Spectrum spectrum = spectrum_of(kernel);
  const Eigen::VectorXd& values = spectrum.values;
  ClippedKernel result{values[0], kernel, {}};
  const double rounding = static_cast<double>(values.size()) * 1e-15 * values[values.size() - 1];
  if (values[0] >= -rounding) return result;
  const Eigen::VectorXd positive = (values.array() > rounding).cast<double>();
  result.projection = recomposed(spectrum.vectors, positive);
  result.kernel = recomposed(spectrum.vectors, values.cwiseProduct(positive));
  return result;
}

}  // namespace dsk
