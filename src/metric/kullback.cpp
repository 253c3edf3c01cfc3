#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"
#include "metric/mean.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// What a divergence needs of each matrix, divided by 2^exponent so that no unit is too large.
struct GaussianBatch {
  const SpdBatch& batch;
  Matrix rows;                 ///< flattened matrices
  Matrix inverses;             ///< flattened inverses
  Eigen::VectorXd logdets;     ///< of the divided matrices
  Eigen::VectorXd conditions;  ///< |X| |X^-1|, Frobenius norms
  std::vector<int> exponents;

  Index dim() const { return batch.dim(); }
  int exponent(Index i) const { return exponents[static_cast<std::size_t>(i)]; }
};

Matrix divided(const MatrixView& x, int exponent) {
  return x.unaryExpr([exponent](double value) { return std::scalbn(value, -exponent); });
}

Matrix factor_of(const GaussianBatch& x, Index i) {
  const Matrix scaled = divided(x.batch[i], x.exponent(i));
  Matrix lower;
  cholesky_factor({scaled.data(), x.dim(), x.dim()}, lower);
  return lower;
}

GaussianBatch prepared_for_kullback(const SpdBatch& batch, int threads) {
  const Index dim = batch.dim(), size = dim * (dim + 1) / 2, count = batch.size();
  GaussianBatch result{batch,
                       Matrix(count, size),
                       Matrix(count, size),
                       Eigen::VectorXd(count),
                       Eigen::VectorXd(count),
                       std::vector<int>(static_cast<std::size_t>(count))};
  for_ranges(count, threads, cubic_cost(dim, 1.5), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      result.exponents[static_cast<std::size_t>(i)] = std::ilogb(batch[i].diagonal().maxCoeff());
      const Matrix scaled = divided(batch[i], result.exponent(i));
      Matrix lower;
      cholesky_factor({scaled.data(), dim, dim}, lower);
      Matrix inverse_factor, inverse(dim, dim);
      invert_from_factor(lower, inverse_factor, inverse);
      flatten({scaled.data(), dim, dim}, result.rows.row(i));
      flatten({inverse.data(), dim, dim}, result.inverses.row(i));
      result.logdets(i) = 2 * lower.diagonal().array().log().sum();
      result.conditions(i) = result.rows.row(i).norm() * result.inverses.row(i).norm();
    }
  });
  return result;
}

/// The same from the Cholesky factors as a sum of terms that are all positive: with G = L_Y^-1 L_X it is
/// (sum of g_ii^2 - 1 - log g_ii^2, and of the squares below the diagonal) / 2.
double kullback_of_factors(const GaussianBatch& x, Index i, const GaussianBatch& y, Index j) {
  const double ratio = std::exp2(0.5 * (x.exponent(i) - y.exponent(j)));
  Matrix g = factor_of(x, i);
  factor_of(y, j).triangularView<Eigen::Lower>().solveInPlace(g);
  double sum = 0;
  for (Index r = 0; r < x.dim(); ++r) {
    sum += g.row(r).head(r).squaredNorm() * ratio * ratio;
    const double beyond_one = std::fma(g(r, r), ratio, -1.0);
    sum += beyond_one * beyond_one + 2 * (beyond_one - std::log1p(beyond_one));
  }
  return sum / 2;
}

bool are_equal(const GaussianBatch& x, Index i, const GaussianBatch& y, Index j) {
  const double* const first = x.batch[i].data();
  return std::equal(first, first + x.dim() * x.dim(), y.batch[j].data());
}

/// (tr(Y^-1 X) - d + log det Y - log det X) / 2
double kullback_of_pair(const GaussianBatch& x, Index i, const GaussianBatch& y, Index j) {
  if (are_equal(x, i, y, j)) return 0;
  const int exponents = x.exponent(i) - y.exponent(j);
  double trace = y.inverses.row(j).dot(x.rows.row(i));
  if (exponents != 0) trace = std::scalbn(trace, exponents);
  const auto d = static_cast<double>(x.dim());
  const double logs = y.logdets(j) - x.logdets(i) - d * std::numbers::ln2 * exponents;
  const double value = (trace - d + logs) / 2;
  // Similar matrices leave little of the trace, and its rounding errors would count. Factors have them squared.
  constexpr double allowed = 1e-10;
  const double error = std::numeric_limits<double>::epsilon() * (y.conditions(j) * trace + x.conditions(i) * d);
  if (value < trace / 8 && error > allowed * value) return kullback_of_factors(x, i, y, j);
  return value;
}

Matrix kullback_of(const GaussianBatch& x, const GaussianBatch& y, int threads) {
  Matrix result(x.batch.size(), y.batch.size());
  const double nanoseconds = 0.2 * static_cast<double>(x.rows.cols()) + 30;
  for_ranges(result.rows(), threads, nanoseconds * static_cast<double>(result.cols()), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      for (Index j = 0; j < result.cols(); ++j) result(i, j) = kullback_of_pair(x, i, y, j);
  });
  return result;
}

Matrix harmonic_mean_of(const WeightedBatch& batch, const MeanOptions& options) {
  const DistanceOptions distance{.metric = Metric::harmonic, .pairs = {.threads = options.threads}};
  const Matrix rows = *flat_coordinates(batch.x, distance);
  return from_harmonic(weighted_row(rows, batch.weights, options.threads), batch.x.dim(), distance);
}

}  // namespace

Matrix kullback(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  engine::require_cpu(options, "Kullback-Leibler divergences");
  const GaussianBatch rows = prepared_for_kullback(x, options.threads);
  if (y == nullptr) return kullback_of(rows, rows, options.threads);
  return kullback_of(rows, prepared_for_kullback(*y, options.threads), options.threads);
}

Matrix kullback_right(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return (y != nullptr ? kullback(*y, &x, options) : kullback(x, nullptr, options)).transpose();
}

Matrix kullback_sym(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  engine::require_cpu(options, "Kullback-Leibler divergences");
  const GaussianBatch rows = prepared_for_kullback(x, options.threads);
  if (y == nullptr) {
    const Matrix one_way = kullback_of(rows, rows, options.threads);
    return one_way + one_way.transpose();
  }
  const GaussianBatch columns = prepared_for_kullback(*y, options.threads);
  return kullback_of(rows, columns, options.threads) + kullback_of(columns, rows, options.threads).transpose();
}

Mean kullback_mean(const WeightedBatch& batch, const MeanOptions& options) {
  return {arithmetic_mean(batch, options.threads)};
}

Mean kullback_right_mean(const WeightedBatch& batch, const MeanOptions& options) {
  return {harmonic_mean_of(batch, options)};
}

Mean kullback_sym_mean(const WeightedBatch& batch, const MeanOptions& options) {
  // L (L^-1 H L^-T)^1/2 L', the midpoint between the arithmetic mean LL' and the harmonic mean H.
  const Whitening arithmetic = whitening(arithmetic_mean(batch, options.threads));
  const Matrix harmonic_mean = harmonic_mean_of(batch, options);
  Matrix root(batch.x.dim(), batch.x.dim());
  double condition = 0;
  GroupFunction(SpectralFunction::root, batch.x.dim(), &arithmetic.inverse)(harmonic_mean.data(), 1, root.data(),
                                                                            &condition);
  Matrix midpoint = arithmetic.factor * root * arithmetic.factor.transpose();
  midpoint.triangularView<Eigen::StrictlyUpper>() = midpoint.transpose();
  return {std::move(midpoint)};
}

}  // namespace dsk::detail
