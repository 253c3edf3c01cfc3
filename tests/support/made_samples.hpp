#pragma once

#include <dsk/matrices.hpp>

#include <cmath>
#include <random>

namespace dsk::test {

/// Independent normal samples, one row each, feature f of variance variances[f].
inline Matrix normal_samples(Index count, const Eigen::VectorXd& variances, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Matrix samples(count, variances.size());
  for (Index i = 0; i < count; ++i)
    for (Index f = 0; f < variances.size(); ++f) samples(i, f) = std::sqrt(variances[f]) * normal(engine);
  return samples;
}

/// Samples whose features depend on each other, in units up to 1e3 apart and off zero.
inline Matrix mixed_samples(Index count, Index dim, std::uint64_t seed) {
  const Matrix plain = normal_samples(count, Eigen::VectorXd::Ones(dim), seed);
  Matrix mixed = plain;
  for (Index f = 0; f < dim; ++f) {
    if (f > 0) mixed.col(f) += 0.5 * plain.col(f - 1);
    mixed.col(f) = mixed.col(f) * std::pow(10.0, static_cast<double>(f % 4)) + Eigen::VectorXd::Constant(count, 3);
  }
  return mixed;
}

}  // namespace dsk::test
