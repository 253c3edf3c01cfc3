#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/messages.hpp"

namespace dsk {
namespace {

DistanceOptions distance_options(const KernelOptions& options) {
  return {.metric = options.metric, .squared = true, .zeta = options.zeta, .pairs = options.pairs};
}

Matrix exponential(Matrix squared, const KernelOptions& options) {
  exponential_in_place(squared, -options.theta, options.pairs.threads);
  return squared;
}

}  // namespace

Matrix kernel_matrix(const SpdBatch& x, const KernelOptions& options) {
  check_theta(options.metric, options.theta, x.dim(), options.allow_indefinite);
  return exponential(pairwise_distances(x, distance_options(options)), options);
}

Matrix kernel_matrix(const SpdBatch& x, const SpdBatch& y, const KernelOptions& options) {
  check_theta(options.metric, options.theta, x.dim(), options.allow_indefinite);
  return exponential(pairwise_distances(x, y, distance_options(options)), options);
}

void detail::check_kernel_values(const Matrix& kernel) {
  // NaN if there is a value that is not finite; several times faster than asking each value.
  if ((kernel.array() * 0).sum() == 0) return;
  for (Index i = 0; i < kernel.rows(); ++i)
    for (Index j = 0; j < kernel.cols(); ++j)
      if (!std::isfinite(kernel(i, j)))
        throw detail::UndefinedForData(
            fmt::format("kernel value ({}, {}) is {}, not a finite number", i, j, kernel(i, j)));
}

double detail::median_above_diagonal(const Matrix& values, bool positive_only) {
  std::vector<double> of_pairs;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = i + 1; j < values.cols(); ++j)
      if (!positive_only || values(i, j) > 0) of_pairs.push_back(values(i, j));
  if (of_pairs.empty()) return 0;
  const auto middle = of_pairs.begin() + static_cast<std::ptrdiff_t>(of_pairs.size() / 2);
  std::nth_element(of_pairs.begin(), middle, of_pairs.end());
  return *middle;
}

Matrix kernel_principal_components(const Matrix& kernel, Index components) {
  const Index size = kernel.rows();
  if (kernel.cols() != size || components < 1 || components > size)
    throw InvalidInput(
        fmt::format("components {} must be from 1 to the size of a square kernel matrix, not one of {} x {}",
                    components, size, kernel.cols()));
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
