#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace dsk {

/// Counts, sizes and positions are signed, as in Eigen.
using Index = Eigen::Index;

/// A dense result such as a distance or kernel matrix, row-major.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A read-only look at one matrix of a batch.
using MatrixView = Eigen::Map<const Matrix>;

/// `count` matrices of size `dim` x `dim`, row-major, one behind the other. Promises nothing about its values:
/// this is what files hold and what repairs start from. SpdBatch is the checked one.
struct MatrixStack {
  Index count = 0;
  Index dim = 0;
  std::vector<double> values;

  MatrixView operator[](Index i) const { return {values.data() + i * dim * dim, dim, dim}; }
};

}  // namespace dsk
