#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/engine.hpp"
#include "machine/lapack.hpp"
#include "machine/parallel.hpp"
#include "metric/mean.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// All matrices as W X W'.
SpdBatch congruences(const SpdBatch& x, const Matrix& w, int threads) {
  const Index dim = x.dim();
  MatrixStack result{x.size(), dim, std::vector<double>(x.values().size())};
  for_ranges(x.size(), threads, cubic_cost(dim, 0.2), [&](Index first, Index last) {
    Matrix product(dim, dim);
    for (Index i = first; i < last; ++i) {
      Eigen::Map<Matrix> out(result.values.data() + i * dim * dim, dim, dim);
      if (lapack::takes(lapack::crossover().factor, dim)) {
        lapack::multiply(w.data(), x[i].data(), false, product.data(), dim);
        lapack::multiply(product.data(), w.data(), true, out.data(), dim);
      } else {
        product.noalias() = w * x[i];
        out.noalias() = product * w.transpose();
      }
      out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
    }
  });
  return trust(std::move(result));
}

/// The equation of the mean, sum_i w_i ((M^-1/2 X_i M^-1/2 + I)/2)^-1 = I, in coordinates whitened by some matrix.
class InverseEquation {
 public:
  /// The batch in these coordinates.
  InverseEquation(const WeightedBatch& batch, int threads)
      : dim_(batch.x.dim()),
        sums_(batch.x, batch.weights, threads),
        arithmetic_mean_(arithmetic_mean(batch, threads)) {}

  Residual at(const Exponential& candidate) {
    const engine::SumOfInverses sum = sums_.at(candidate.whole);
    if (factor_ == 0) factor_ = factor_by(sum);
    Residual result;
    result.trace_factor = result.factor = factor_;
    const Matrix whitened = candidate.root * sum.inverses * candidate.root;
    result.value = Matrix::Identity(dim_, dim_) - (whitened + whitened.transpose()) / 2;
    // Rounding is relative to the largest entries of the matrices, in coordinates in which the candidate is I.
    const Matrix inverse = candidate.inverse_root * candidate.inverse_root;
    const double apart = 1 + arithmetic_mean_.cwiseProduct(inverse).sum() / static_cast<double>(dim_);
    result.noise = std::numeric_limits<double>::epsilon() * factor_ * apart;
    return result;
  }

 private:
  /// One over the mean curvature at the identity. In the eigenbasis of B = (X_i + I)^-1 the curvature along (j, k) is
  /// (1 - b_j) b_k + (1 - b_k) b_j, which sums to (d - tr B) tr B + tr B - |B|^2 over j <= k.
  double factor_by(const engine::SumOfInverses& sum) const {
    const auto d = static_cast<double>(dim_);
    const double trace = sum.inverses.trace() / 2, squared_trace = sum.squared_traces / 4,
                 squared_norm = sum.squared_norms / 4;
    return d * (d + 1) / 2 / ((d + 1) * trace - squared_trace - squared_norm);
  }

  Index dim_;
  engine::InverseSum sums_;
  Matrix arithmetic_mean_;
  double factor_ = 0;
};

SearchResult search_from(const WeightedBatch& batch, const Matrix& inverse, int threads, const SearchLimits& limits) {
  InverseEquation equation({congruences(batch.x, inverse, threads), batch.weights}, threads);
  return search(
      batch.x.dim(), [&](const Exponential& at) { return equation.at(at); }, limits);
}

}  // namespace

Mean stein_mean(const WeightedBatch& batch, const MeanOptions& options) {
  Whitening start = whitening(arithmetic_mean(batch, options.threads));
  SearchLimits limits{options.tolerance, options.max_iterations, 4, 1e-2};
  const SearchResult tried = search_from(batch, start.inverse, options.threads, limits);
  if (!tried.given_up) return Factored{start.factor * tried.factor, tried}.mean();
  // Matrices far from each other: the affine invariant mean is near the Stein mean, the arithmetic one is not.
  MeanOptions rough = options;
  rough.tolerance = 1e-3;
  rough.max_iterations = std::max(2, options.max_iterations - tried.iterations);
  const Factored near = airm_factor(batch, rough, start);
  start = whitening(near.mean().matrix);
  const int spent = tried.iterations + near.search.iterations + 1;
  limits = {.tolerance = options.tolerance, .iterations = std::max(1, options.max_iterations - spent)};
  const SearchResult found = search_from(batch, start.inverse, options.threads, limits);
  Mean mean = Factored{start.factor * found.factor, found}.mean();
  mean.iterations += spent;
  return mean;
}

Mean stein_mean_near(const WeightedBatch& batch, const MeanOptions& options, const Whitening& start) {
  const SearchResult found =
      search_from(batch, start.inverse, options.threads, {options.tolerance, options.max_iterations});
  return Factored{start.factor * found.factor, found}.mean();
}

}  // namespace dsk::detail
