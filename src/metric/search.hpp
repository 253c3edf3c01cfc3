#pragma once

#include <dsk/matrices.hpp>

#include <functional>

#include "metric/symmetric.hpp"

namespace dsk::detail {

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
  double step = 0;  ///< root mean square of the eigenvalues of the last step's logarithm
  int iterations = 0;
  bool converged = false;
  bool given_up = false;
};

/// Solves residual(exp(S)) = 0 for S, from S = 0, by fixed-point steps with Anderson's acceleration: each step is the
/// one that would have been best for the residuals so far if they were linear in S.
SearchResult search(Index dim, const std::function<Residual(const Exponential&)>& residual, const SearchLimits& limits);

/// The first step alone: what to add to S.
Matrix plain_step(const Residual& residual);

}  // namespace dsk::detail
