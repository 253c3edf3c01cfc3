#include <Eigen/Cholesky>

#include <cmath>

#include "spd/spd.hpp"

namespace dsk::detail {

void cholesky_factor(const MatrixView& x, Matrix& lower) {
  scale_to_unit_diagonal(x, lower);
  Eigen::LLT<Eigen::Ref<Matrix>> in_place(lower);
  lower.triangularView<Eigen::StrictlyUpper>().setZero();
  for (Index r = 0; r < x.rows(); ++r) lower.row(r) *= std::sqrt(x(r, r));
}

}  // namespace dsk::detail
