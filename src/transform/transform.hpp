#pragma once

#include <dsk/transform.hpp>

#include "machine/aligned.hpp"

namespace dsk::detail {

/// Adjusts one matrix after the other in memory that is asked for once, up to d = 128 and away from singular matrices.
class MatrixAdjuster {
 public:
  explicit MatrixAdjuster(const EigenvalueAdjustment& adjustment);

  /// The answer is valid until the next call. Takes a symmetric matrix; throws InvalidInput if it is not positive
  /// definite.
  MatrixView operator()(const MatrixView& matrix);

 private:
  MatrixView by_batch(const MatrixView& matrix);

  EigenvalueAdjustment adjustment_;
  Eigen::VectorXd slope_;
  Eigen::VectorXd intercept_;
  AlignedArray<double> scratch_;
  Matrix values_;
  Matrix vectors_;
  Matrix adjusted_;
};

}  // namespace dsk::detail
