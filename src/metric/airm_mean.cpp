// The Riemannian (Karcher) mean: the M with the smallest weighted sum of squared affine invariant distances.

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/parallel.hpp"
#include "metric/mean.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// x coth(x) as a function of x^2.
double hyperbolic_ratio(double squared) {
  if (squared < 1e-4) return 1 + squared / 3;
  const double x = std::sqrt(squared);
  return x / std::tanh(x);
}

/// Sums over some of the matrices, at a candidate M = L L' with W = L^-1.
struct LogSums {
  Matrix logs;           ///< sum of w_i log(W X_i W')
  double curvature = 0;  ///< sum of w_i times about the mean curvature of the squared distance to X_i, half of it
  double condition = 0;  ///< sum of w_i times the condition number of W X_i W'
};

/// W = Q T with an orthogonal Q and a lower triangular T, and T^-1.
struct RotationAndLower {
  Matrix rotation;
  Matrix lower;
  Matrix inverse;
};
RotationAndLower rotation_and_lower(const Matrix& w, const Matrix& inverse) {
  // W with its columns reversed is Q R, and R reversed both ways is lower triangular. Powers of two take out the units,
  // whose squares might overflow.
  Eigen::RowVectorXd units = w.cwiseAbs().colwise().maxCoeff();
  for (double& unit : units) unit = std::ldexp(1.0, std::ilogb(unit));
  const Eigen::MatrixXd scaled = (w.array().rowwise() / units.array()).matrix();
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposition(scaled.rowwise().reverse());
  const Eigen::MatrixXd q = decomposition.householderQ();
  const Eigen::MatrixXd r = decomposition.matrixQR().triangularView<Eigen::Upper>();
  const Matrix rotation = q.rowwise().reverse();
  return {rotation, r.reverse() * units.asDiagonal(), matrix_product(inverse, rotation)};
}

/// The same for exp(-S/2) W, where W is such a T already.
RotationAndLower rotation_and_lower(const Exponential& s, const RotationAndLower& w) {
  // Where S is small, exp(S) = C C' is well-conditioned, and exp(-S/2) = (exp(-S/2) C) C^-1.
  constexpr double small = 1;
  if (!(s.norm <= small))
    return rotation_and_lower(matrix_product(s.inverse_root, w.lower), matrix_product(w.inverse, s.root));
  const Whitening factored = whitening(s.whole);
  return {matrix_product(s.inverse_root, factored.factor), matrix_product(factored.inverse, w.lower),
          matrix_product(w.inverse, factored.factor)};
}

/// The equation of the mean, sum_i w_i log(M^-1/2 X_i M^-1/2) = 0.
class LogEquation {
 public:
  LogEquation(const WeightedBatch& batch, int threads) : batch_(batch), threads_(threads) {}

  /// At the candidate L L', with L^-1 = W = Q T: log(W X W') is Q log(T X T') Q'. A triangular T takes a third of the
  /// products.
  Residual at(const RotationAndLower& w) const {
    const Index groups = (batch_.x.size() + eigen_group - 1) / eigen_group;
    // They depend on the work alone, so that the sums do not depend on the number of threads.
    const double cost = cubic_cost(dim(), 0.2) * static_cast<double>(batch_.x.size());
    const Index blocks = std::clamp<Index>(static_cast<Index>(cost / 1e5), 1, std::min<Index>(groups, 64));
    std::vector<LogSums> sums(static_cast<std::size_t>(blocks));
    for_ranges(blocks, threads_, cost / static_cast<double>(blocks), [&](Index first, Index last) {
      for (Index block = first; block < last; ++block)
        sums[static_cast<std::size_t>(block)] =
            over_groups(block * groups / blocks, (block + 1) * groups / blocks, w.lower);
    });
    for (std::size_t block = 1; block < sums.size(); ++block) {
      sums[0].logs += sums[block].logs;
      sums[0].curvature += sums[block].curvature;
      sums[0].condition += sums[block].condition;
    }
    // By how much the products T X T' can magnify rounding; units do not matter.
    const double whitening = (w.lower.cwiseAbs() * w.inverse.cwiseAbs().rowwise().sum()).maxCoeff();
    const Matrix value = matrix_product(matrix_product(w.rotation, sums[0].logs), w.rotation, true);
    return {.value = (value + value.transpose()) / 2,
            .trace_factor = 1,
            .factor = 1 / sums[0].curvature,
            .noise = std::numeric_limits<double>::epsilon() * (sums[0].condition + whitening * whitening)};
  }

 private:
  Index dim() const { return batch_.x.dim(); }

  LogSums over_groups(Index first, Index last, const Matrix& lower) const {
    LogSums sums;
    LogarithmSum logs(lower);
    LogarithmFacts facts[eigen_group];
    for (Index i = first * eigen_group; i < std::min(last * eigen_group, batch_.x.size()); i += eigen_group) {
      const Index count = std::min(eigen_group, batch_.x.size() - i);
      const double* const weights = batch_.weights.data() + i;
      logs.add(batch_.x[i].data(), count, weights, facts);
      for (Index k = 0; k < count; ++k) add(facts[k], weights[k], sums);
    }
    sums.logs = logs.total();
    return sums;
  }

  void add(const LogarithmFacts& log, double weight, LogSums& sums) const {
    // The curvature along the directions of eigenvectors j and k is a coth(a), a half the difference of their
    // logarithms. Their mean square stands for all of them.
    const double pairs = static_cast<double>(std::max<Index>(1, dim() - 1));
    const double squared = (log.squared_norm - log.trace * log.trace / static_cast<double>(dim())) / pairs / 2;
    sums.curvature += weight * hyperbolic_ratio(std::max(0.0, squared));
    sums.condition += weight * log.condition;
  }

  const WeightedBatch& batch_;
  int threads_;
};

}  // namespace

Residual log_residual(const WeightedBatch& batch, const Matrix& factor, const Matrix& w, int threads) {
  return LogEquation(batch, threads).at(rotation_and_lower(w, factor));
}

Factored airm_factor(const WeightedBatch& batch, const MeanOptions& options, const Whitening& start) {
  const LogEquation equation(batch, options.threads);
  const Index dim = batch.x.dim();
  const RotationAndLower beginning{Matrix::Identity(dim, dim), start.inverse, start.factor};
  const RotationAndLower near = rotation_and_lower(exponential(plain_step(equation.at(beginning))), beginning);
  const SearchResult found =
      search(dim, [&](const Exponential& at) { return equation.at(rotation_and_lower(at, near)); },
             {.tolerance = options.tolerance, .iterations = options.max_iterations - 1});
  return {near.inverse * found.factor, found};
}

Mean airm_mean(const WeightedBatch& batch, const MeanOptions& options) {
  const Factored found = airm_factor(batch, options, whitening(arithmetic_mean(batch, options.threads)));
  Mean mean = found.mean();
  mean.iterations += 1;
  return mean;
}

}  // namespace dsk::detail
