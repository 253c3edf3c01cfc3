#pragma once

#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dsk {

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
  /// Why the computation of a mean stopped.
  enum class Stop {
    closed_form,     ///< the metric's mean needs no iterations
    converged,       ///< the next step would change the mean by less than the tolerance, or by less than rounding does
    iteration_limit  ///< as many iterations as allowed
  };

  Matrix matrix;
  Stop stop = Stop::closed_form;
  int iterations = 0;
  double step = 0;  ///< relative size of the last step; 0 for a closed form
};
std::string_view name(Mean::Stop stop);

/// Throws InvalidInput for weights that do not fit, and NumericalFailure if the mean leaves the range of double.
Mean mean(const SpdBatch& x, const MeanOptions& options = {});

struct FixedPointOptions {
  Metric metric = Metric::airm;      ///< airm or stein
  std::vector<double> weights = {};  ///< one per matrix, none negative, not all 0; empty: all equal
  std::optional<Matrix> start = {};  ///< without it, the arithmetic mean
  double tolerance = 1e-8;           ///< absolute: of |J| for airm, of the change of the mean for stein
  int max_iterations = 50;
  int threads = 0;
};

/// The mean after the iterations of pyRiemann's `mean_riemann` and `mean_logdet`, with their steps and stopping rules:
/// the same numbers also where they stop early. `mean` needs fewer iterations, is more accurate and does not depend on
/// units. `step` is what was compared with the tolerance last. For airm, M becomes M^1/2 exp(nu J) M^1/2 with J = sum_i
/// w_i log(M^-1/2 X_i M^-1/2) and shrinking nu; for stein, M becomes (sum_i w_i ((X_i + M)/2)^-1)^-1. Throws as `mean`,
/// and InvalidInput for other metrics.
Mean fixed_point_mean(const SpdBatch& x, const FixedPointOptions& options = {});

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

/// A function of the eigenvalues of symmetric matrices.
struct MatrixFunction {
  enum class Kind {
    exponential,
    inverse_root,  ///< X^-1/2
    logarithm,
    power,
    root
  };
  Kind kind = Kind::logarithm;
  double exponent = 1;  ///< of Kind::power

  /// Reads "exponential", "inverse_root", "logarithm", "power" or "root". Throws InvalidInput, listing all of them.
  static MatrixFunction parse(std::string_view text, double exponent = 1);
};

/// U f(lam) U' of every symmetric matrix U lam U'. A matrix that is symmetric up to 1e-8 of its largest entry counts as
/// symmetric. Throws InvalidInput, naming the matrix, if one is not symmetric, is not finite or, for all functions but
/// the exponential, has eigenvalues that are not positive beyond rounding.
MatrixStack matrix_function(MatrixStack&& symmetric, const MatrixFunction& function, int threads = 0);

/// The rows that TangentSpace(reference).map makes of these matrices, which are checked along the way
/// instead of beforehand. Throws InvalidInput as `matrix_function` does, and if sizes differ.
Matrix tangent_rows(const Matrix& reference, MatrixStack&& symmetric, int threads = 0);

}  // namespace dsk
