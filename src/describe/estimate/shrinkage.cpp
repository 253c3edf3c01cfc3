#include "describe/estimate/estimators.hpp"

namespace dsk::detail {

Matrix shrunk(const Matrix& x, double share) {
  Matrix result = (1 - share) * x;
  result.diagonal().array() += share * x.trace() / static_cast<double>(x.rows());
  return result;
}

}  // namespace dsk::detail
