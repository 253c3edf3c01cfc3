#pragma once

#include <dsk/matrices.hpp>

#include <functional>

#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {

/// A B or A B' of two square matrices.
Matrix matrix_product(const Matrix& a, const Matrix& b, bool transposed = false);

/// exp(S) of a symmetric matrix S, exp(S/2) and exp(-S/2).
struct Exponential {
  Matrix whole;
  Matrix root;
  Matrix inverse_root;
  double norm = 0;  ///< of S
};
Exponential exponential(const Matrix& symmetric);

/// Eigenvalues and eigenvectors of symmetric matrices that need not be positive definite. Errors are relative to the
/// largest eigenvalue or to 1, whichever is larger.
EigenBatch eigen_of_symmetric(MatrixStack stack);

/// What the equation of a mean says at a candidate, in coordinates in which the candidate is the identity.
struct Residual {
  Matrix value;             ///< symmetric, 0 at the mean; elsewhere about the logarithm of the mean
  double trace_factor = 1;  ///< times this for its multiple of the identity,
  double factor = 1;        ///< and times this for the rest
  double noise = 0;         ///< of the step, by rounding
};

struct SearchLimits {
  double tolerance = 0;  ///< of the step
  int iterations = 0;
  /// The search gives up if the step is above the second number after the first number of iterations, unless it is 0.
  int trial = 0;
  double trial_step = 0;
};

struct SearchResult {
  Matrix factor;    ///< the solution is factor * factor'
  double step = 0;  ///< root mean square of the eigenvalues of the logarithm of the last step, or of the next if that
                    ///< is not taken
  int iterations = 0;
  bool converged = false;
  bool given_up = false;
};

/// Solves residual(exp(S)) = 0 for S, from S = 0, by fixed-point steps with Anderson's acceleration: each step is the
/// one that would have been best for the residuals so far if they were linear in S.
SearchResult search(Index dim, const std::function<Residual(const Exponential&)>& residual, const SearchLimits& limits);

/// The first step alone: what to add to S.
Matrix plain_step(const Residual& residual);

/// The mean of every column, by the weights.
Eigen::RowVectorXd weighted_row(const Eigen::Ref<const Matrix>& rows, const std::vector<double>& weights, int threads);

Matrix arithmetic_mean(const WeightedBatch& batch, int threads);

/// The matrices of positive weight; without weights, all equally. Throws InvalidInput for weights that do not fit.
WeightedBatch weighted_batch(const SpdBatch& x, const std::vector<double>& weights);

/// The equation of the affine invariant mean, sum_i w_i log(W X_i W') = 0, at the candidate L L' with W = L^-1.
Residual log_residual(const WeightedBatch& batch, const Matrix& factor, const Matrix& w, int threads);

/// M = L L' and L^-1, for any units of the coordinates.
struct Whitening {
  Matrix factor;
  Matrix inverse;
};
Whitening whitening(const Matrix& matrix);

/// A mean as factor * factor'.
struct Factored {
  Matrix factor;
  SearchResult search;
  Mean mean() const;
};

/// The mean by the affine invariant metric. The first of the iterations goes from `start`.
Factored airm_factor(const WeightedBatch& batch, const MeanOptions& options, const Whitening& start);

/// The mean by the Stein metric, from a start near it.
Mean stein_mean_near(const WeightedBatch& batch, const MeanOptions& options, const Whitening& start);

}  // namespace dsk::detail
