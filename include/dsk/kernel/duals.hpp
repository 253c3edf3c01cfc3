#pragma once

#include <dsk/spd/matrix.hpp>

#include <limits>
#include <span>

namespace dsk {

/// The support vector machine's dual: the eta >= 0 that maximise sum(eta) - (eta t)'K(eta t)/2 with sum(eta t) = 0 and
/// eta <= bound. For the L2-norm soft margin add 1/C to the diagonal of K and leave the bound infinite.
struct MarginDual {
  Eigen::VectorXd eta;
  double squared_norm = 0;  ///< |w|^2
  double offset = 0;        ///< b of the decision value sum_j eta_j t_j k(x_j, x) + b
};

/// `signs` are +1 or -1, both present. A support set tried first (from a similar problem) may save most of the work;
/// the solution does not depend on it. Throws InvalidInput for other signs, sizes that do not fit, kernel values that
/// are not finite, and a bound that is not above 0.
MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs,
                        double bound = std::numeric_limits<double>::infinity(), const MarginDual* similar = nullptr);

/// The same with a bound of its own for either sign, as classes of different weight want it.
struct MarginBounds {
  double positive = std::numeric_limits<double>::infinity();
  double negative = std::numeric_limits<double>::infinity();
};
MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, const MarginBounds& bounds,
                        const MarginDual* similar = nullptr);

/// The smallest ball around all points in feature space, for a kernel with equal diagonal entries: its centre is
/// sum_i beta_i phi(x_i), with beta >= 0 and sum(beta) = 1.
struct BallDual {
  Eigen::VectorXd beta;
  double squared_radius = 0;
};

/// Throws InvalidInput for a kernel that is not square or not finite.
BallDual solve_ball(const Matrix& kernel, const BallDual* similar = nullptr);

}  // namespace dsk
