#include <dsk/transform.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>

namespace dsk {

Matrix spatial_patterns(const Projection& projection, const SpdBatch& x, std::span<const double> weights) {
  if (projection.dim() != x.dim())
    throw InvalidInput(fmt::format("a projection of matrices of size {} has no patterns in those of size {}",
                                   projection.dim(), x.dim()));
  if (!weights.empty() && std::ssize(weights) != x.size())
    throw InvalidInput(fmt::format("{} weights do not match {} matrices", weights.size(), x.size()));
  Matrix sum = Matrix::Zero(x.dim(), x.dim());
  double whole = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
    sum += weight * x[i];
    whole += weight;
  }
  const Eigen::MatrixXd seen = sum / whole * projection.w;
  return Eigen::LLT<Eigen::MatrixXd>(projection.w.transpose() * seen).solve(seen.transpose()).transpose();
}

}  // namespace dsk
