#pragma once

#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace dsk {

/// Why the computation of a mean stopped.
enum class MeanStop {
  closed_form,     ///< the metric's mean needs no iterations
  converged,       ///< the next step would change the mean by less than the tolerance, or by less than rounding does
  iteration_limit  ///< as many iterations as allowed
};
std::string_view name(MeanStop stop);

struct MeanOptions {
  Metric metric = Metric::airm;
  double zeta = 0.5;                 ///< exponent of the power-Euclidean metric, not 0
  std::vector<double> weights = {};  ///< one per matrix, none negative, not all 0; empty: all equal
  double tolerance = 1e-12;          ///< of the step, relative to the mean; a change of units changes nothing
  int max_iterations = 200;
  int threads = 0;
};

/// The matrix M that minimises the weighted sum of squared distances to all matrices (of Stein divergences for Stein).
struct Mean {
  Matrix matrix;
  MeanStop stop = MeanStop::closed_form;
  int iterations = 0;
  double step = 0;  ///< relative size of the last step; 0 for a closed form
};

/// Throws InvalidInput for weights that do not fit, and NumericalFailure if the mean leaves the range of double.
Mean mean(const SpdBatch& x, const MeanOptions& options = {});

/// The mean of each of `count` groups, which share the threads: groups[i], from 0 to count - 1, is the group of matrix
/// i. Throws InvalidInput for a group without matrices (of positive weight).
std::vector<Mean> group_means(const SpdBatch& x, std::span<const int> groups, Index count,
                              const MeanOptions& options = {});

/// The tangent space of the affine invariant metric at a matrix M: X becomes the d (d + 1) / 2 numbers of the upper
/// triangle, row by row, of log(M^-1/2 X M^-1/2), those off the diagonal times the square root of 2. Euclidean
/// distances between such rows approximate distances between matrices near M.
class TangentSpace {
 public:
  /// Throws InvalidInput unless the matrix is symmetric positive definite.
  explicit TangentSpace(const Matrix& reference);

  const Matrix& reference() const { return reference_; }
  /// M^-1/2.
  const Matrix& whitening() const { return inverse_root_; }
  Index dim() const { return reference_.rows(); }
  /// Numbers per matrix.
  Index features() const { return dim() * (dim() + 1) / 2; }

  /// One row for each matrix. Throws InvalidInput for matrices of another size.
  Matrix map(const SpdBatch& x, int threads = 0) const;
  /// The matrices that `map` makes these rows of. Throws InvalidInput for rows of another length or that are not
  /// finite, and NumericalFailure if a matrix leaves the range of double.
  SpdBatch back(const Matrix& rows, int threads = 0) const;

 private:
  Matrix reference_;
  Matrix root_;          ///< M^1/2
  Matrix inverse_root_;  ///< M^-1/2
};

}  // namespace dsk
