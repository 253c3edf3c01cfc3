#include <dsk/metric.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The largest eigenvalue of a positive definite map, by a power iteration that ends within a few per cent of it.
template <class Map>
double largest_eigenvalue(Index dim, const Map& apply) {
  constexpr int iterations = 30;
  Eigen::VectorXd x(dim);
  for (Index k = 0; k < dim; ++k) x(k) = 1 + std::sin(static_cast<double>(k + 1));
  double growth = 0;
  for (int k = 0; k < iterations; ++k) {
    x.normalize();
    x = apply(x);
    growth = x.norm();
  }
  return growth;
}

/// Of the matrix scaled to unit diagonal, which is what the accuracy of a Cholesky factor depends on.
double condition_of(const MatrixView& x) {
  Matrix scaled;
  detail::scale_to_unit_diagonal(x, scaled);
  const Eigen::LLT<Eigen::MatrixXd> factor(scaled);
  const double largest =
      largest_eigenvalue(x.rows(), [&](const Eigen::VectorXd& v) -> Eigen::VectorXd { return scaled * v; });
  const double inverse =
      largest_eigenvalue(x.rows(), [&](const Eigen::VectorXd& v) -> Eigen::VectorXd { return factor.solve(v); });
  return std::max(1.0, largest * inverse);
}

}  // namespace

SteinAccuracy stein_accuracy(const SpdBatch& x, Precision precision, int threads) {
  std::vector<double> conditions(static_cast<std::size_t>(x.size()));
  detail::for_ranges(x.size(), threads, detail::cubic_cost(x.dim(), 10), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) conditions[static_cast<std::size_t>(i)] = condition_of(x[i]);
  });
  SteinAccuracy result;
  result.condition = *std::max_element(conditions.begin(), conditions.end());
  const double rounding = precision == Precision::float64 ? epsilon : std::numeric_limits<float>::epsilon();
  result.error = rounding * (result.condition + static_cast<double>(x.dim()));
  return result;
}

}  // namespace dsk
