#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

namespace dsk {

Matrix kernel_principal_components(const Matrix& kernel, Index components) {
  const Index size = kernel.rows();
  if (kernel.cols() != size || components < 1 || components > size)
    throw InvalidInput(fmt::format("{} principal components cannot be had of a {} x {} kernel matrix", components, size,
                                   kernel.cols()));
  if (!kernel.allFinite()) throw InvalidInput("a kernel matrix with values that are not finite has no components");
  const Eigen::RowVectorXd means = kernel.colwise().mean();
  const double mean = means.mean();
  const Eigen::MatrixXd centred = ((kernel.rowwise() - means).colwise() - means.transpose()).array() + mean;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver((centred + centred.transpose()) / 2);
  const double rounding =
      static_cast<double>(size) * std::numeric_limits<double>::epsilon() * kernel.cwiseAbs().maxCoeff();
  Matrix result = Matrix::Zero(size, components);
  for (Index c = 0; c < components && solver.eigenvalues()[size - 1 - c] > rounding; ++c) {
    const Eigen::VectorXd vector = solver.eigenvectors().col(size - 1 - c);
    Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    const double length = std::sqrt(solver.eigenvalues()[size - 1 - c]);
    result.col(c) = vector * (vector[largest] < 0 ? -length : length);
  }
  return result;
}

}  // namespace dsk
