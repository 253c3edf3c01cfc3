#include <algorithm>

#include "describe/estimate/estimators.hpp"

namespace dsk::detail {

Matrix correlation(const Moments& moments) {
  const Index dim = moments.dim();
  const Eigen::VectorXd deviation = moments.scatter.diagonal().array().sqrt();
  Matrix result(dim, dim);
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < r; ++c)
      result(r, c) = result(c, r) = std::clamp(moments.scatter(r, c) / deviation[r] / deviation[c], -1.0, 1.0);
    result(r, r) = 1;
  }
  return result;
}

}  // namespace dsk::detail
