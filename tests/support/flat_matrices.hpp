#pragma once

#include <dsk/matrices.hpp>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace dsk::test {

/// The batch with other matrices at some positions. A float keeps no trace of their smallest eigenvalue, so that the
/// mean of two of them is singular in single precision.
inline SpdBatch with_flat(const SpdBatch& good, std::initializer_list<Index> positions) {
  const Index dim = good.dim();
  std::vector<double> values(good.values().begin(), good.values().end());
  const Matrix flat = Matrix::Constant(dim, dim, 1) + 1e-11 * Matrix::Identity(dim, dim);
  for (const Index i : positions) std::copy_n(flat.data(), flat.size(), values.data() + i * dim * dim);
  return SpdBatch(values, good.size(), dim);
}

}  // namespace dsk::test
