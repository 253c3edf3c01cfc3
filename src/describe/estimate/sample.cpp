#include "describe/estimate/estimators.hpp"

namespace dsk::detail {

Matrix sample_covariance(const Moments& moments) {
  return moments.scatter / static_cast<double>(moments.samples - 1);
}

}  // namespace dsk::detail
